import { PARTNER_FIELDS, type PartnerField } from "./partner.ts";

/**
 * How a column serves its field: `main` holds it, `fallback` only when there is no main column,
 * `before` and `after` are pieces that are joined to it (`NAME2` to `NAME1`, a street's type to its name).
 */
export type AliasRole = "main" | "fallback" | "before" | "after";

export interface AliasList {
  readonly field: PartnerField;
  readonly role: AliasRole;
  /** Header names as they are written in the wild; compared after folding. */
  readonly names: readonly string[];
}

function aliases(field: PartnerField, role: AliasRole, text: string): AliasList {
  const names = text.split(/[|\n]/u).map((name) => name.trim());
  return { field, role, names: names.filter((name) => name !== "") };
}

const OWN_NAMES: readonly AliasList[] = PARTNER_FIELDS.map((field) =>
  aliases(field, "main", field),
);

/**
 * Header names that are known for each field: SAP tables and labels, other ERP and register exports,
 * then English, German, French, Spanish, Italian, Polish, Portuguese and Dutch, a line each.
 * A name may stand under two fields (`Lieferant`); the other headers then settle which is meant.
 */
export const HEADER_ALIASES: readonly AliasList[] = [
  ...OWN_NAMES,
  aliases(
    "internalId",
    "main",
    `LIFNR | KUNNR | PARTNER | BU_PARTNER | KREDITOR | DEBITOR | Vendor | Customer | Supplier | Business Partner | PARTNERID
     externalId | Account Number | VENDOR_ID | VENDOR_NUM | SEGMENT1 | No. | KU_NUM | supplierID | customerID | Vendor No.
     Supplier No | Supplier Code | Supplier ID | Customer Number | Partner ID | ERP ID | Record ID | Organisation_code
     id | vendor number | supplier number | customer no | customer id | account no | internal id | partner number
     Lieferantennummer | Lieferanten-Nr. | Lieferant | Liefnr | Kreditorennummer | Kreditor | Debitorennummer | Debitor
     Kundennummer | Kunden-Nr. | Kundennr | Kunden-/Lief.-Nr. | Geschäftspartnernummer | GP-Nr | Partnernummer | Nr | IDExtern
     N° | Nº | N° fournisseur | Numéro fournisseur | Code fournisseur | nofour | Code client | codecli | N° client | Code tiers
     Identifiant | structure_id_siae
     Código proveedor | Nº proveedor | Número de proveedor | Código cliente | Identificador | ID proveedor | Núm. acreedor
     Codice fornitore | Cod. fornitore | Codice cliente | Cod. cliente | ID fornitore | cod_ipa
     Nr dostawcy | Numer dostawcy | Kod kontrahenta | Nr klienta | Identyfikator
     Código do fornecedor | Cód. fornecedor | N.º fornecedor | Nº entidade
     Leveranciersnummer | Leveranciernr | Crediteurnummer | Debiteurnummer | Klantnummer | Relatienummer | Relatiecode`,
  ),
  aliases(
    "internalId",
    "fallback",
    `reference | our reference | key | Konto | Suchschlüssel | Kürzel | Kuerzel | Nummer | Référence | Código | Codice | Symbol | Lp.`,
  ),
  aliases(
    "name",
    "main",
    `NAME1 | NAME_ORG1 | MC_NAME1 | Name 1 | COMPANYNAME | BU_NAME1TX | Vendor | Customer | Supplier | Partner
     Account Name | VENDOR_NAME | BillToName | Company name | legalEntity.legalName | Entity.LegalName | LegalName
     Organisation_name | Supplier Name | Customer Name | Partner Name | BeneficiaryName | Beneficiary | paid_to | Contractor Name
     assignee | d_vendor_name | Security Name | KU_RECH_NAM | societe | Name (Adressattyp Unternehmen)
     company | registered name | business name | organisation | organization | organization name | firm
     Firma | Firmenname | Firmierung | Unternehmen | Unternehmensname | Lieferant | Kunde | Geschäftspartner
     Lieferantenname | Kreditorname | Zuwendungsempfänger
     Raison sociale | Dénomination | Dénomination sociale | denominationUniteLegale | structure_denomination | Nom
     Nom de la société | Société | Entreprise | Fournisseur | Nom du bénéficiaire | nomBeneficiaire | Titulaire
     Razón social | Denominación | Denominación social | Nombre | Empresa | Proveedor | Adjudicatario | Beneficiario
     Ragione sociale | Denominazione | Nome azienda | Azienda | Impresa | Fornitore | Aggiudicatario | denominazione_ipa
     Nazwa | Nazwa firmy | Nazwa podmiotu | Nazwa kontrahenta | Dostawca | Wykonawca
     Razão social | Denominação | Denominação social | Nome | Fornecedor | Adjudicatário
     Bedrijfsnaam | Naam | Bedrijf | Firmanaam | Statutaire naam | Leverancier`,
  ),
  aliases(
    "name",
    "fallback",
    `trading name | OfficialName | AlternateName | Bezeichnung | Enseigne | Nombre comercial | Intestazione | Nome fantasia
     Nazwa skrócona | Handelsnaam`,
  ),
  // Only what continues a name that was cut (SAP at 35 or 40 characters); departments and short names would spoil it.
  aliases(
    "name",
    "after",
    `NAME2 | NAME3 | NAME4 | NAME_ORG2 | NAME_ORG3 | NAME_ORG4 | Name 2 | Name 3 | Name 4 | KU_RECH_ZUS_1
     name line 2 | Namenszusatz | Zusatz | Complément de nom | Nombre 2 | Seconda denominazione | Nome 2 | Naam 2`,
  ),
  aliases(
    "street",
    "main",
    `STRAS | STREET | STREETNAME
     BillingStreet | ADDRESS_LINE1 | address1_line1 | address.physicalPostalAddress.street.name
     Entity.LegalAddress.FirstAddressLine | RegAddress.AddressLine1 | PhysicalAddress1 | KU_RECH_STR
     street address | street name | address | address 1 | address line 1 | addr | road
     Straße | Str. | Straße und Nr | Straße/Hausnr. | Straße und Hausnummer | Anschrift | Adresse | Adresszeile 1
     Rue | libelleVoieEtablissement | structure_adresse_admin_nom_voie | N° et rue | Voie | Ligne 1
     Calle | Dirección | Domicilio | Vía | Domicilio social
     Indirizzo | Sede legale | Via/Piazza
     Ulica | ul. | Adres | Adres siedziby
     Rua | Morada | Endereço | Logradouro
     Straat | Straatnaam | Vestigingsadres`,
  ),
  aliases("street", "fallback", "Sede"),
  aliases(
    "street",
    "before",
    "typeVoieEtablissement | structure_adresse_admin_type_voie | Tipo de vía | Tipo logradouro",
  ),
  aliases("street", "after", "STR_SUPPL1 | STR_SUPPL2 | STR_SUPPL3"),
  aliases(
    "houseNumber",
    "main",
    `HOUSE_NUM1
     address.physicalPostalAddress.street.houseNumber
     house no | number | building number | no.
     Hausnr. | Haus-Nr | HNr | Nr | Hausnummer
     N° | Numéro | numeroVoieEtablissement | Numéro de voie | structure_adresse_admin_numero
     Número | Núm. | Nº
     Civico | N. civico | Numero civico | N.
     Nr domu | Numer budynku
     N.º porta
     Huisnummer | Huisnr`,
  ),
  aliases("houseNumber", "fallback", "BUILDING | Premise | Portal"),
  aliases(
    "houseNumber",
    "after",
    "HOUSE_NUM2 | Hausnummernzusatz | Indice de répétition | Piso | Nr lokalu | Complemento | Toevoeging",
  ),
  aliases(
    "postalCode",
    "main",
    `PSTLZ | POST_CODE1 | POSTALCODE | POST_COD1
     BillingPostalCode | ZIP | address1_postalcode | address.physicalPostalAddress.postalCode
     Entity.LegalAddress.PostalCode | RegAddress.PostCode | KU_RECH_PLZ
     postcode | zip code
     PLZ | Postleitzahl
     Code postal | CP | codePostalEtablissement | structure_adresse_admin_cp
     Código postal | C.P. | Cod. postal
     CAP | C.A.P. | Codice postale
     Kod pocztowy
     CEP
     PC`,
  ),
  aliases("postalCode", "fallback", "PLZ/Ort | Kod"),
  aliases(
    "city",
    "main",
    `ORT01 | CITY1 | MCITY
     BillingCity | address1_city | address.physicalPostalAddress.city | Entity.LegalAddress.City | RegAddress.PostTown
     KU_RECH_ORT
     town | post town | locality | place
     Ort | Stadt | Wohnort | Sitz | Gemeinde | Ortschaft
     Ville | Commune | libelleCommuneEtablissement | structure_adresse_admin_commune | Localité
     Ciudad | Población | Localidad | Municipio
     Città | Comune | Località
     Miasto | Miejscowość | Gmina
     Cidade | Localidade | Município | Concelho
     Plaats | Woonplaats | Stad | Gemeente | Vestigingsplaats`,
  ),
  aliases("city", "fallback", "ORT02"),
  aliases(
    "region",
    "main",
    `REGIO
     BillingState | STATE | PROVINCE | address1_stateorprovince | address.physicalPostalAddress.administrativeAreaLevel1
     Entity.LegalAddress.Region | RegAddress.County
     county
     Bundesland | Land | Kanton | Landkreis | Kraj
     Département | Canton
     Provincia | Comunidad autónoma | Estado | Región
     Prov. | Regione | Sigla provincia
     Województwo | Powiat
     Distrito | UF
     Provincie | Gewest`,
  ),
  aliases(
    "country",
    "main",
    `LAND1 | LANDX | Country Key
     BillingCountry | COUNTRY_CODE | address1_country | address.physicalPostalAddress.country
     Entity.LegalAddress.Country | RegAddress.Country | KU_RECH_LKZ
     iso code | nation
     Land | Staat | Ländercode | Länderkennzeichen | LKZ | ISO Ländercode | Land/Region
     Pays | Code pays | codePaysEtrangerEtablissement
     País | Código país | Cód. país
     Paese | Nazione | Cod. paese
     Kraj | Państwo | Kod kraju
     Código do país
     Landcode`,
  ),
  // DATEV's "EU-Land" begins the VAT id, and is empty for all other countries.
  aliases("country", "fallback", "CountryOfOrigin | iso | Stato | EU-Land"),
  aliases(
    "vatId",
    "main",
    `STCEG | VAT Registration No. | VAT Reg. No.
     VAT_REGISTRATION_NUM | taxId | EU-UStID | EU-UStIdNr. | identifiers1.value
     vat | vat no | vat number | vat reg no | vat registration number | tin | ein | gst | abn
     USt-IdNr. | USt-ID | Umsatzsteuer-ID | Umsatzsteuer-Identifikationsnummer | UID | MWST-Nr.
     N° TVA | TVA intracommunautaire | N° de TVA | Numéro de TVA | euvat
     NIF | CIF | NIF/CIF | NIF-IVA | RFC | RUC | RUT
     Partita IVA | P.IVA | cf_piva
     NIP | VAT UE | Nr VAT
     NIPC | Contribuinte | N.º contribuinte | CNPJ
     BTW-nummer | Btw-nr | BTW | BTW-id | KBO/BCE`,
  ),
  aliases(
    "registrationNumber",
    "main",
    `STCD1 | STCD2 | STCD3 | STCD4 | STCD5 | STENR | Tax Number 1 | IDNUMBER | BU_ID_NUMBER
     Company Number | Entity.RegistrationAuthority.RegistrationAuthorityEntityID | identifiers.value | LegalEntityId | CIK
     company no | reg no | crn | company registration | company registration number | charity number | file number
     Handelsregisternummer | HRB | HRA | HR-Nr. | Registernummer | Firmenbuchnummer | UID/CHE
     SIREN | SIRET | idBeneficiaire | N° SIREN | RCS | N° RCS | structure_siret_actualise | BCE
     Registro mercantil | Nº registro | Hoja registral
     REA | N. REA | Numero REA | Codice fiscale | Registro imprese
     KRS | REGON | Nr KRS
     Matrícula | N.º matrícula | CRC | NIRE
     KvK-nummer | KvK | KvK-nr | Ondernemingsnummer | RSIN`,
  ),
  // A German register number means nothing without the court that keeps it.
  aliases("registrationNumber", "after", "Amtsgericht"),
  aliases(
    "duns",
    "main",
    `DUNSNO | DunsNumber | DUNS_NUMBER_C | recipient_duns | d-u-n-s | duns no | d&b number | dnb id
     D-U-N-S-Nummer | DUNS-Nr. | N° DUNS | Numéro DUNS | Codice DUNS | Numer DUNS`,
  ),
  aliases(
    "lei",
    "main",
    `leiCode | entities.leiNumber | lei number | legal entity identifier | Code LEI | IEJ | Código LEI | Codice LEI | Kod LEI`,
  ),
  aliases(
    "website",
    "main",
    `URI_ADDR | URI_SRCH | WEBADDRESS | KNURL | LFURL
     websiteurl | Company domain name | homePage | pageaccueil
     web | url | domain | Webseite | Internet | Internetadresse | WWW
     Site web | Site internet | Site | Página web | Sitio web | Sito | Sito web | Sito internet
     Strona www | Strona internetowa | Sítio | Webadres`,
  ),
];
