/** A postal address in the form in which the agent writes it. */
export interface Company {
  readonly name: string;
  readonly street: string;
  readonly postalCode: string;
  readonly city: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

type CompanyRow = readonly [
  name: string,
  street: string,
  postalCode: string,
  city: string,
  country: string,
];

/** Head offices as the companies publish them; believable, not authoritative. */
const ROWS: readonly CompanyRow[] = [
  ["Boehringer Ingelheim GmbH", "Birkendorfer Str. 65", "88397", "Biberach an der Riss", "DE"],
  ["Siemens AG", "Werner-von-Siemens-Straße 1", "80333", "München", "DE"],
  ["SAP SE", "Dietmar-Hopp-Allee 16", "69190", "Walldorf", "DE"],
  ["Robert Bosch GmbH", "Robert-Bosch-Platz 1", "70839", "Gerlingen", "DE"],
  ["BASF SE", "Carl-Bosch-Straße 38", "67056", "Ludwigshafen am Rhein", "DE"],
  ["Bayer AG", "Kaiser-Wilhelm-Allee 1", "51373", "Leverkusen", "DE"],
  ["Volkswagen AG", "Berliner Ring 2", "38440", "Wolfsburg", "DE"],
  ["Bayerische Motoren Werke AG", "Petuelring 130", "80809", "München", "DE"],
  ["Mercedes-Benz Group AG", "Mercedesstraße 120", "70372", "Stuttgart", "DE"],
  ["Deutsche Telekom AG", "Friedrich-Ebert-Allee 140", "53113", "Bonn", "DE"],
  ["Henkel AG & Co. KGaA", "Henkelstraße 67", "40589", "Düsseldorf", "DE"],
  ["adidas AG", "Adi-Dassler-Straße 1", "91074", "Herzogenaurach", "DE"],
  ["Allianz SE", "Königinstraße 28", "80802", "München", "DE"],
  ["Miele & Cie. KG", "Carl-Miele-Straße 29", "33332", "Gütersloh", "DE"],
  ["Nestlé S.A.", "Avenue Nestlé 55", "1800", "Vevey", "CH"],
  ["Novartis AG", "Lichtstrasse 35", "4056", "Basel", "CH"],
  ["F. Hoffmann-La Roche AG", "Grenzacherstrasse 124", "4070", "Basel", "CH"],
  ["ABB Ltd", "Affolternstrasse 44", "8050", "Zürich", "CH"],
  ["Dr. Ing. h.c. F. Porsche AG", "Porscheplatz 1", "70435", "Stuttgart", "DE"],
  ["Münchener Rückversicherungs-Gesellschaft AG", "Königinstraße 107", "80802", "München", "DE"],
  ["Dr. August Oetker Nahrungsmittel KG", "Lutterstraße 14", "33617", "Bielefeld", "DE"],
  ["Migros-Genossenschafts-Bund", "Limmatstrasse 152", "8005", "Zürich", "CH"],
  ["Électricité de France S.A.", "22-30 Avenue de Wagram", "75008", "Paris", "FR"],
  ["LVMH, Moët Hennessy Louis Vuitton SE", "22 Avenue Montaigne", "75008", "Paris", "FR"],
  [
    "Compagnie Générale des Établissements Michelin",
    "23 Place des Carmes-Déchaux",
    "63000",
    "Clermont-Ferrand",
    "FR",
  ],
  ["Luigi Lavazza S.p.A.", "Via Bologna 32", "10152", "Torino", "IT"],
  ["Iberdrola, S.A.", "Plaza Euskadi 5", "48009", "Bilbao", "ES"],
  ["Jerónimo Martins, SGPS, S.A.", "Rua Actor António Silva 7", "1649-033", "Lisboa", "PT"],
  ["Koninklijke Philips N.V.", "Prinses Irenestraat 59", "1077 WV", "Amsterdam", "NL"],
  ["KGHM Polska Miedź S.A.", "ul. Marii Skłodowskiej-Curie 48", "59-301", "Lubin", "PL"],
  ["LEGO System A/S", "Aastvej 1", "7190", "Billund", "DK"],
  ["Telefonaktiebolaget LM Ericsson", "Torshamnsgatan 21", "164 83", "Stockholm", "SE"],
  ["Rolls-Royce Holdings plc", "Kings Place, 90 York Way", "N1 9FX", "London", "GB"],
  ["The Procter & Gamble Company", "One Procter & Gamble Plaza", "45202", "Cincinnati", "US"],
  ["Türk Hava Yolları A.O.", "Yeşilköy Mah. Havaalanı Cad. No: 3/1", "34149", "İstanbul", "TR"],
  ["Red Bull GmbH", "Am Brunnen 1", "5330", "Fuschl am See", "AT"],
  ["voestalpine AG", "voestalpine-Straße 1", "4020", "Linz", "AT"],
  ["OMV AG", "Trabrennstraße 6-8", "1020", "Wien", "AT"],
  ["L'Oréal S.A.", "41 Rue Martre", "92110", "Clichy", "FR"],
  ["TotalEnergies SE", "2 Place Jean Millier", "92400", "Courbevoie", "FR"],
  ["Société Générale S.A.", "29 Boulevard Haussmann", "75009", "Paris", "FR"],
  ["Airbus SE", "Mendelweg 30", "2333 CS", "Leiden", "NL"],
  ["ASML Holding N.V.", "De Run 6501", "5504 DR", "Veldhoven", "NL"],
  ["Unilever PLC", "100 Victoria Embankment", "EC4Y 0DY", "London", "GB"],
  ["Shell plc", "Shell Centre, York Road", "SE1 7NA", "London", "GB"],
  ["AstraZeneca PLC", "1 Francis Crick Avenue", "CB2 0AA", "Cambridge", "GB"],
  ["Barilla G. e R. Fratelli S.p.A.", "Via Mantova 166", "43122", "Parma", "IT"],
  ["Ferrero S.p.A.", "Piazzale Pietro Ferrero 1", "12051", "Alba", "IT"],
  ["Eni S.p.A.", "Piazzale Enrico Mattei 1", "00144", "Roma", "IT"],
  ["Industria de Diseño Textil, S.A.", "Avenida de la Diputación s/n", "15143", "Arteixo", "ES"],
  ["Telefónica, S.A.", "Gran Vía 28", "28013", "Madrid", "ES"],
  ["Novo Nordisk A/S", "Novo Allé 1", "2880", "Bagsværd", "DK"],
  ["A.P. Møller - Mærsk A/S", "Esplanaden 50", "1263", "København K", "DK"],
  ["AB Volvo", "Gropegårdsgatan 2", "417 15", "Göteborg", "SE"],
  ["H & M Hennes & Mauritz AB", "Mäster Samuelsgatan 46A", "106 38", "Stockholm", "SE"],
  ["Equinor ASA", "Forusbeen 50", "4035", "Stavanger", "NO"],
  ["Nokia Oyj", "Karakaari 7", "02610", "Espoo", "FI"],
  ["Anheuser-Busch InBev SA/NV", "Brouwerijplein 1", "3000", "Leuven", "BE"],
  ["ORLEN S.A.", "ul. Chemików 7", "09-411", "Płock", "PL"],
  ["Škoda Auto a.s.", "tř. Václava Klementa 869", "293 01", "Mladá Boleslav", "CZ"],
  ["Apple Inc.", "One Apple Park Way", "95014", "Cupertino", "US"],
  ["Microsoft Corporation", "One Microsoft Way", "98052", "Redmond", "US"],
  ["The Coca-Cola Company", "One Coca-Cola Plaza", "30313", "Atlanta", "US"],
  ["Toyota Motor Corporation", "1 Toyota-cho", "471-8571", "Toyota", "JP"],
  ["Samsung Electronics Co., Ltd.", "129 Samsung-ro", "16677", "Suwon", "KR"],
];

const LEGAL_FORM =
  /\b(?:ag|aktiengesellschaft|se|gmbh|kg|kgaa|co|cie|inc|corp|corporation|company|plc|ltd|limited|sa|sanv|spa|nv|bv|ab|as|asa|oyj|the)\b/g;

/** The name without accents, punctuation and legal form, so that "Nestle SA" finds Nestlé S.A. */
function toKey(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[\p{M}.'’/]/gu, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .replaceAll(LEGAL_FORM, " ")
    .replaceAll(/ +/g, " ")
    .trim();
}

const BY_KEY: ReadonlyMap<string, Company> = new Map(
  ROWS.map(([name, street, postalCode, city, country]) => [
    toKey(name),
    { name, street, postalCode, city, country },
  ]),
);

/** The well-known company of that name, however its accents, dots and legal form are written. */
export function findCompany(name: string): Company | undefined {
  return BY_KEY.get(toKey(name));
}
