/**
 * Runs in a short-lived worker thread: the certificate library keeps 11 MB resident, which must not stay in a
 * process that needs it once (docs/decisions/0050-certificates.md).
 */
// The library's container asks for decorator metadata: this import has to come first.
import 'reflect-metadata';
import { parentPort, workerData } from 'node:worker_threads';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { CertificateError } from './certificate-error.ts';
import type { CertificateOrder, CertificateRequest, IssuedCertificates, KeyPair } from './certificate-order.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';

/** Who signs: a certificate and the key that belongs to it. */
interface Issuer {
  readonly certificate: x509.X509Certificate;
  readonly key: webcrypto.CryptoKey;
}

const order = workerData as CertificateOrder;
if (parentPort === null) throw new CertificateError('certificate-worker runs only as a worker thread');
parentPort.postMessage(await fulfil(order));

async function fulfil(wanted: CertificateOrder): Promise<IssuedCertificates> {
  const made = wanted.ca === undefined ? await makeCa(wanted) : undefined;
  const issuer = await loadIssuer(made ?? wanted.ca);
  const issued: [string, KeyPair][] = [];
  for (const request of wanted.requests) issued.push([request.name, await issue(issuer, request, wanted)]);
  return { ...(made === undefined ? {} : { ca: made }), issued: Object.fromEntries(issued) };
}

async function makeCa(wanted: CertificateOrder): Promise<KeyPair> {
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: [wanted.caName ?? 'kubernetes'] }],
    notBefore: new Date(wanted.notBefore),
    notAfter: new Date(wanted.caNotAfter),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'kubernetes' }]),
    ],
  });
  return { certificate: pemOf(certificate), key: await exportKey(keys.privateKey) };
}

async function issue(issuer: Issuer, request: CertificateRequest, wanted: CertificateOrder): Promise<KeyPair> {
  const keys = await generateKeys();
  const names = [
    ...request.hostnames.map((value) => ({ type: 'dns' as const, value })),
    ...request.ips.map((value) => ({ type: 'ip' as const, value })),
  ];
  const usages = [...(request.client ? [CLIENT_AUTH] : []), ...(names.length > 0 ? [SERVER_AUTH] : [])];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [...request.organizations.map((name) => ({ O: [name] })), { CN: [request.commonName] }],
    issuer: issuer.certificate.subjectName,
    notBefore: new Date(wanted.notBefore),
    notAfter: new Date(wanted.notAfter),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: issuer.key,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(usages),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.certificate.publicKey),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
    ],
  });
  return { certificate: pemOf(certificate), key: await exportKey(keys.privateKey) };
}

async function loadIssuer(ca: KeyPair | undefined): Promise<Issuer> {
  if (ca === undefined) throw new CertificateError('no certificate authority to sign with');
  const der = x509.PemConverter.decodeFirst(ca.key);
  const key = await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
  return { certificate: new x509.X509Certificate(ca.certificate), key };
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

function pemOf(certificate: x509.X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

/** A positive number of 63 bits (RFC 5280, 4.1.2.2 allows up to 20 octets). */
function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(8));
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
