import { COUNTRY_CODES } from "./country-codes.ts";
import { foldHeader } from "./header-aliases-match.ts";

/** The languages whose names of countries are known; English last, so that it wins where two disagree. */
const LANGUAGES = ["nl", "pt", "pl", "it", "es", "fr", "de", "en"] as const;

/** Names and signs that the platform does not know: common short names, parts of states, vehicle signs, old codes. */
const OTHER_NAMES = `
 GB UK | England | Scotland | Wales | Northern Ireland | Great Britain | Britain | Großbritannien | England und Wales | Schottland
 GB Grande-Bretagne | Angleterre | Gran Bretagna | Inghilterra | Gran Bretaña | Inglaterra | Grã-Bretanha | Anglia | Groot-Brittannië | Engeland
 GB United Kingdom of Great Britain and Northern Ireland | U.K. | Royaume Uni
 US U.S. | U.S.A. | United States of America | America | Vereinigte Staaten von Amerika | États-Unis d'Amérique | EEUU | EE.UU. | EE. UU.
 US Estados Unidos de América | Stati Uniti d'America | Stany Zjednoczone Ameryki | Estados Unidos da América | Verenigde Staten van Amerika | Amerika
 DE BRD | Federal Republic of Germany | Bundesrepublik Deutschland | Republik Deutschland | D
 NL Holland | The Netherlands | Pays Bas | Hollande | Holanda | Olanda | Holandia
 CZ Czech Republic | Tschechische Republik | République tchèque | República Checa | Repubblica Ceca | Republika Czeska | Tsjechische Republiek
 SK Slovak Republic | Slowakische Republik
 CH Schweizerische Eidgenossenschaft | Confoederatio Helvetica | Suisse (CH)
 KR South Korea | Republic of Korea | Korea, Republic of | Korea (Republic of) | Südkorea | Corée du Sud
 KP Democratic People's Republic of Korea | Korea, Democratic People's Republic of
 RU Russian Federation | Russische Föderation | Fédération de Russie | Federación Rusa
 CN People's Republic of China | PR China | P.R. China | VR China | China, People's Republic of
 TW Taiwan, Province of China | Chinese Taipei
 HK Hongkong | Hong Kong | Hong Kong SAR
 MO Macau | Macao
 VN Viet Nam
 TR Turkey | Türkei | Turkiye
 IE Eire | Republic of Ireland | IRL
 MK Macedonia | Mazedonien | FYROM
 MD Republic of Moldova | Moldova, Republic of | Moldawien
 BO Bolivia, Plurinational State of
 VE Venezuela, Bolivarian Republic of
 IR Iran, Islamic Republic of | Islamic Republic of Iran
 SY Syrian Arab Republic
 TZ United Republic of Tanzania | Tanzania, United Republic of
 LA Lao People's Democratic Republic
 BN Brunei Darussalam
 CI Ivory Coast | Cote d'Ivoire
 CD Democratic Republic of the Congo | Congo, Democratic Republic of the
 SZ Swaziland
 BY Belorussia | Weißrussland
 VA Holy See | Vatican
 PS Palestine | State of Palestine
 AE UAE | U.A.E. | VAE
 ZA RSA | South African Republic
 SA KSA
 NZ Neuseeland | Aotearoa
 GR EL | Hellas | Hellenic Republic
 AT A
 FR F
 IT I
 ES E
 BE B
 LU L
 PT P
 SE S
 NO N
 HU H
 FI FIN
 SI SLO
 RO RUM
 LI FL
 RS SRB
`;

function buildIndex(): ReadonlyMap<string, string> {
  const index = new Map<string, string>();
  for (const language of LANGUAGES) {
    const names = new Intl.DisplayNames([language], { type: "region" });
    for (const code of COUNTRY_CODES.keys()) index.set(foldHeader(String(names.of(code))), code);
  }
  for (const line of OTHER_NAMES.trim().split("\n")) {
    const code = line.trim().slice(0, 2);
    for (const name of line.trim().slice(3).split(" | ")) index.set(foldHeader(name), code);
  }
  for (const [code, long] of COUNTRY_CODES) {
    index.set(code.toLowerCase(), code);
    index.set(long.toLowerCase(), code);
  }
  return index;
}

let index: ReadonlyMap<string, string> | undefined;

/**
 * The ISO 3166-1 alpha-2 code of a country that is given by code (two or three letters), vehicle sign or name in one
 * of eight languages; `undefined` when the text names none. `NA` is Namibia and `NO` Norway.
 */
export function countryCodeOf(text: string): string | undefined {
  index ??= buildIndex();
  return index.get(foldHeader(text));
}
