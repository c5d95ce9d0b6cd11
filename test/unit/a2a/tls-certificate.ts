/**
 * A self-signed authority for 127.0.0.1 and localhost, valid from 2020 to 2120.
 * Only tests serve it, only on loopback: neither half is a secret.
 */
export const TEST_KEY_PEM = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgD121/kV/HyrtWzBy
+Us8b/rwf71IX1tSRxB8f7Ey7q+hRANCAASEzQqpa04sEyw0gwpwkQbW9wBu6wp0
mbZayzv+JgNtflm6i9jumpA+aPIC/tjQ7yI+Z5+1PhCLPlRduuFE+FrK
-----END PRIVATE KEY-----`;

export const TEST_CERTIFICATE_PEM = `-----BEGIN CERTIFICATE-----
MIIBcTCCARegAwIBAgIBATAKBggqhkjOPQQDAjAZMRcwFQYDVQQDDA50ZXN0IGF1
dGhvcml0eTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowGTEXMBUG
A1UEAwwOdGVzdCBhdXRob3JpdHkwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASE
zQqpa04sEyw0gwpwkQbW9wBu6wp0mbZayzv+JgNtflm6i9jumpA+aPIC/tjQ7yI+
Z5+1PhCLPlRduuFE+FrKo04wTDAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3Qw
DwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQUqqUhX/cLcyXECArzhJu0iubPGJsw
CgYIKoZIzj0EAwIDSAAwRQIhAJtWjn1T04G5hG5cBVL39+EVhAkfXIdfRnNmOn2W
Mo/ZAiAXjQFtuuM1E4xRkSyPdwGvi/tR8Rj8NxWv5Zjb51L4Jw==
-----END CERTIFICATE-----`;
