/** Names of products and of companies that make them. */

/** The makes of most vehicles, and models that are no other words, in lower case. */
export const vehicleMakes: readonly string[] =
  'audi bmw chevrolet chevy chrysler citroen citroën cupra dacia dodge ferrari fiat ford honda hyundai iveco jaguar jeep kawasaki kia lexus mazda mercedes mitsubishi nissan opel peugeot piaggio polestar porsche renault rover saab seat skoda škoda subaru suzuki tesla toyota vauxhall vespa volkswagen volvo vw yamaha ducati astra camry civic clio corolla corsa fabia fiesta octavia passat prius yaris'.split(
    ' ',
  );

/** Networks of payment cards, as alternatives. */
export const cardNetworks = 'visa|master|amex|discover';

/** Currencies of wallets, as alternatives. */
export const cryptoCurrencies = String.raw`bitcoin|\bbtc\b|crypto|ethereum|\beth\b`;
