/** X.509 certificates (RFC 5280) for 127.0.0.1, encoded by hand: Node makes keys and signatures, but no certificates. */
import { createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";

/** DER (X.690): tag, length, content. */
function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  if (length < 0x100) return Buffer.from([0x81, length]);
  return Buffer.from([0x82, length >> 8, length & 0xff]);
}

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT = 0x06;
const UTF8 = 0x0c;
const GENERALIZED_TIME = 0x18;
const TRUE = Buffer.from([0x01, 0x01, 0xff]);

/** Object identifiers, in hexadecimal as they are encoded. */
const OID = {
  commonName: "550403",
  ecdsaWithSha256: "2a8648ce3d040302",
  basicConstraints: "551d13",
  keyUsage: "551d0f",
  extendedKeyUsage: "551d25",
  subjectAltName: "551d11",
  serverAuth: "2b06010505070301",
} as const;

function oid(name: keyof typeof OID): Buffer {
  return der(OBJECT, Buffer.from(OID[name], "hex"));
}

function named(commonName: string): Buffer {
  return der(SEQUENCE, der(SET, der(SEQUENCE, oid("commonName"), der(UTF8, Buffer.from(commonName)))));
}

/** `20261121210000Z` */
function time(at: Date): Buffer {
  return der(GENERALIZED_TIME, Buffer.from(`${at.toISOString().replaceAll(/[-:T]|\.\d+Z/g, "")}Z`));
}

function extension(name: keyof typeof OID, critical: boolean, value: Buffer): Buffer {
  return der(SEQUENCE, oid(name), ...(critical ? [TRUE] : []), der(OCTET_STRING, value));
}

function bits(bytes: Buffer, unused = 0): Buffer {
  return der(BIT_STRING, Buffer.from([unused]), bytes);
}

const ALGORITHM = der(SEQUENCE, oid("ecdsaWithSha256"));
const DAY_MS = 24 * 60 * 60 * 1000;
const AUTHORITY = "server-bench throwaway authority";

interface Signed {
  readonly subject: string;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
}

/** PEM. Valid from yesterday, for clocks that differ, and for a month. */
function signed({ subject, publicKey, extensions }: Signed, signer: KeyObject): string {
  const now = Date.now();
  const serial = randomBytes(16);
  // A positive number without a leading zero.
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const certificate = der(
    SEQUENCE,
    der(0xa0, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, serial),
    ALGORITHM,
    named(AUTHORITY),
    der(SEQUENCE, time(new Date(now - DAY_MS)), time(new Date(now + 30 * DAY_MS))),
    named(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(SEQUENCE, ...extensions)),
  );
  const signature = createSign("sha256").update(certificate).sign(signer);
  const whole = der(SEQUENCE, certificate, ALGORITHM, bits(signature));
  const lines = whole.toString("base64").replaceAll(/.{64}/g, "$&\n").trimEnd();
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

const LOOPBACK = Buffer.from([127, 0, 0, 1]);

/** A new authority, and a certificate of it for 127.0.0.1 and localhost, with its key. All as PEM. */
export function makeCertificate(): { readonly authority: string; readonly cert: string; readonly key: string } {
  const [authority, server] = [newKeys(), newKeys()];
  const authorityPem = signed(
    {
      subject: AUTHORITY,
      publicKey: authority.publicKey,
      extensions: [
        extension("basicConstraints", true, der(SEQUENCE, TRUE)),
        // Sign certificates.
        extension("keyUsage", true, bits(Buffer.from([0x04]), 2)),
      ],
    },
    authority.privateKey,
  );
  const names = der(SEQUENCE, der(0x87, LOOPBACK), der(0x82, Buffer.from("localhost")));
  const cert = signed(
    {
      subject: "server-bench",
      publicKey: server.publicKey,
      extensions: [
        extension("basicConstraints", true, der(SEQUENCE)),
        // Digital signature.
        extension("keyUsage", true, bits(Buffer.from([0x80]), 7)),
        extension("extendedKeyUsage", false, der(SEQUENCE, oid("serverAuth"))),
        extension("subjectAltName", false, names),
      ],
    },
    authority.privateKey,
  );
  return { authority: authorityPem, cert, key: server.privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

function newKeys() {
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" });
}
