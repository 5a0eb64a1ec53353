import type { Language } from '../language.ts';

export const spanish: Language = {
  codes: ['es'],
  context: {
    phone: 'tel[ée]fono|m[óo]vil|celular|ll[aá]m',
    otherNumber: 'pedido|factura',
    card: 'tarjeta',
    cardCode: 'código de seguridad',
    cardExpiry: 'caduca|vence|caducidad',
    password: 'contraseña',
    is: 'es',
    vehicle: 'bastidor',
    plate: 'matrícula',
    birth: 'naci(?:ó|do|da|miento)',
    month: 'enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|oct(?:ubre)?|noviembre|diciembre',
    ofMonth: 'de',
    ofYear: 'de|del',
    position: 'ubicaci',
    coordinate: 'latitud|longitud',
    driverLicense: 'carnet de conducir',
    passport: 'pasaporte',
    documentId: String.raw`documento de identidad|\bnss\b`,
    documentFiller: 'es|n[úu]mero',
    vat: String.raw`\biva\b`,
  },
  keywords: {
    secret: ['contrasena'],
    card: ['codigo de', 'caduc', 'vence'],
    plate: ['matric'],
  },
  phonePlans: { always: ['ES'], expected: ['MX', 'CO', 'CL'], expectedWithZero: ['AR'] },
};
