import type { Vocabulary } from '../../language.ts';
import { split } from '../../words.ts';

/** Everyday words, written from general knowledge. */
export const spanishVocabulary: Vocabulary = {
  nouns:
    split(`harina azúcar mantequilla huevo leche sal pimienta cebolla ajo patata arroz sopa salsa pastel masa levadura nata queso jamón pollo
      carne verdura pepino tomate zanahoria judía guisante seta nuez miel mostaza vinagre aceite agua zumo cerveza olla sartén horno cocina
      cuchara tenedor cuchillo plato taza cuenco nevera lavadora escoba cubo lámpara sofá sillón estante armario alfombra cortina cojín manta
      cama despertador espejo ducha bañera toalla jabón cepillo pantalón camisa chaqueta abrigo gorro zapato calcetín falda blusa cinturón
      gafas fiebre tos resfriado mareo náusea cabeza espalda rodilla hombro estómago pulmón hígado riñón piel diente pastilla pomada venda
      receta vacuna consulta enfermero cita prueba tensión alergia embarazo tormenta viento niebla helada calor nube lluvia nieve granizo
      temperatura césped seto arbusto raíz flor semilla abono pala valla gato perro caballo vaca cabra pájaro pato abeja escuela clase
      cuaderno lápiz tiza pizarra nota examen tarea vacaciones excursión maleta mochila tienda billete andén retraso desvío atasco semáforo
      cruce carné taller rueda freno gasolina alquiler fianza casero inquilino gasto luz calefacción factura aviso transferencia cuenta
      interés préstamo impuesto sueldo contrato solicitud currículo entrevista recurso resolución solicitante daño informe testigo sentencia
      demanda acuerdo plazo fútbol equipo entrenador partido derrota archivo fichero carpeta pantalla tecla ratón contraseña usuario servidor
      red enlace página botón ventana menú opción valor lista cadena número palabra línea tabla columna fila campo tipo nombre clave reunión
      presupuesto pregunta propuesta saludo niño niña hombre mujer hijo hija madre padre abuela abuelo hermano hermana amigo vecino jefe
      bosque monte valle mar lago isla costa playa arena piedra roca cueva ribera río arroyo fuente cascada zorro lobo ciervo liebre erizo ratón
      gorrión águila gallo gallina ganso cisne cordero oveja toro buey mosca araña gusano rana serpiente cocinero sastre herrero molinero
      pastor cazador pescador pintor jardinero juez rey conde caballero invierno verano otoño primavera col nabo lenteja pera ciruela cereza
      uva hoja rama tronco corteza madera clavo martillo sierra padres nieto tío tía huésped color tierra cielo campo cosecha trigo cebada
      avena iglesia castillo torre puerta muro mercado guerra paz espada escudo corona reino pueblo derecho deber patio escalera sótano techo
      carbón cobre plomo ácido cristal sal gas vapor fuego sombra luz peso fuerza onda rayo`),
  adjectives:
    split(`viejo nuevo grande pequeño bueno malo bonito feo caliente frío tibio mojado seco dulce ácido amargo salado picante fresco cansado
      enfermo sano rápido lento ruidoso claro oscuro pesado ligero caro barato abierto cerrado limpio sucio lleno vacío blando duro largo corto
      ancho estrecho grueso fino alto bajo cercano lejano correcto falso fácil difícil posible importante seguro peligroso amable tranquilo
      divertido triste feliz rojo azul verde amarillo blanco negro gris redondo suelto fijo roto libre remoto interno externo válido activo`),
  verbs:
    split(`cocinar hornear cortar mezclar pelar lavar limpiar planchar secar comprar pagar pedir enviar buscar encontrar necesitar usar abrir
      cerrar tirar poner colgar hacer decir preguntar contestar explicar mostrar aprender practicar jugar pintar cantar bailar llorar dormir
      soñar vivir alquilar trabajar ganar ahorrar contar medir calcular revisar planear esperar creer pensar sentir oír mirar viajar reservar
      aparcar reparar construir plantar recoger curar tratar quejar toser borrar guardar copiar mover activar mostrar leer escribir fallar
      faltar empezar terminar recibir subir bajar saltar omitir consultar imprimir seleccionar llevar llegar salir entrar volver dejar`),
  functionWords:
    split(`el la los las un una unos unas y o u e pero porque que si como cuando donde no ni yo tú él ella nosotros ellos ellas me te se nos le les lo
      mi tu su mis tus sus nuestro es son era eran fue fueron será está están estaba hay ha han había he puede pueden debe deben quiere quiero
      en a al de del con sin por para sobre bajo entre desde hasta hacia según contra durante ante tras hoy ayer mañana ahora luego después
      siempre nunca ya aún todavía solo también muy más menos aquí allí ahí quién qué cómo cuándo por favor gracias sí todo todos nada algo
      este esta estos estas ese esa eso aquel otro otra mismo cada cual cuyo cualquier mediante además así aunque mientras pues`),
  conjugations: [
    [/ar$/, 'o as a amos an é aste ó aron aba aban ando ado ada ados adas ará arán aría e en es emos ara aran'],
    [/er$/, 'o es e emos en í iste ió ieron ía ían iendo ido ida idos idas erá erán ería a an as'],
    [/ir$/, 'o es e imos en í iste ió ieron ía ían iendo ido ida idos idas irá irán iría a an as'],
  ],
  endings: [
    [/o$/, 'os a as'],
    [/(?<=[aeé])$/, 's'],
    [/(?<=[lnrdsz])$/, 'es'],
  ],
};
