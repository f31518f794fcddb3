import { X509Certificate, createPrivateKey } from 'node:crypto';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { assert } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import { CertificateError } from './certificate-error.ts';
import { readTextFile, writeSecretFile } from './secret-file.ts';
import type {
  CertificateOrder,
  CertificateRequest,
  CertificateSubject,
  IssuedCertificates,
  KeyPair,
} from './certificate-order.ts';

const DAY_MS = 86_400_000;
/** Clocks of clients may be behind ours. */
const BACKDATE_MS = 3_600_000;
const LEAF_LIFE_MS = 365 * DAY_MS;
const CA_LIFE_MS = 3650 * DAY_MS;
/** What has less left than this is made anew at the next start. */
const RENEW_MS = 90 * DAY_MS;

/** The names under which clients in a cluster reach its API server. */
const CLUSTER_NAMES = [
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  'localhost',
];
/** Loopback, and the first address of the default service range: pods reach the server by it. */
const CLUSTER_ADDRESSES = ['127.0.0.1', '::1', '10.96.0.1'];

/** What the certificates are for. */
export interface CertificateOptions {
  /** Further names and addresses of the API server; the cluster's own names and loopback are always there. */
  readonly hostnames: readonly string[];
  readonly ips: readonly string[];
  /** Certificates that are kept beside, by file name: `{ admin: { commonName: 'kubernetes-admin', … } }`. */
  readonly clients?: { readonly [name: string]: CertificateSubject };
  readonly clock: Clock;
  /** Where the worker's code lies in a bundle. */
  readonly workerUrl?: URL;
}

/** The certificates of a server, PEM; see ensureCertificates. */
export interface Certificates {
  /** PEM of the authority that signed everything here. */
  readonly ca: string;
  readonly serving: KeyPair;
  readonly clients: { readonly [name: string]: KeyPair };
  /** Signs one more certificate, which is not kept; takes about 0.1 s, most of it loading the library. */
  issueClientCertificate(subject: CertificateSubject): Promise<KeyPair>;
  /** The certificate kept under `name` where it fits and lives long enough; else a new one, which is kept. */
  keepCertificate(name: string, subject: CertificateSubject): Promise<KeyPair>;
}

/**
 * The cluster's own certificate authority under `dir` (0700, files 0600): `ca`, `apiserver`, one pair per client.
 * What exists, fits the wanted names and lives long enough is used as it is, without loading the library;
 * the rest is made. Throws CertificateError.
 */
export async function ensureCertificates(dir: string, options: CertificateOptions): Promise<Certificates> {
  const now = options.clock.now();
  const ca = await readPair(dir, 'ca');
  const goodCa = ca !== undefined && isUsable(ca, now) ? ca : undefined;
  const wanted = requestsOf(options);
  const pairs = new Map<string, KeyPair>();
  for (const request of goodCa === undefined ? [] : wanted) {
    const pair = await readPair(dir, request.name);
    if (pair !== undefined && goodCa !== undefined && fits(pair, request, { ca: goodCa, now }))
      pairs.set(request.name, pair);
  }
  const missing = wanted.filter((request) => !pairs.has(request.name));
  const authority = missing.length === 0 ? goodCa : await makeMissing(dir, { goodCa, missing, options }, pairs);
  assert(authority !== undefined, 'no authority after certificates were made');
  return present(authority, pairs, { ...options, dir });
}

async function makeMissing(
  dir: string,
  what: { goodCa: KeyPair | undefined; missing: readonly CertificateRequest[]; options: CertificateOptions },
  pairs: Map<string, KeyPair>,
): Promise<KeyPair> {
  const made = await runWorker(orderOf(what.goodCa, what.missing, what.options.clock.now()), what.options.workerUrl);
  if (made.ca !== undefined) await writePair(dir, 'ca', made.ca);
  const writes = Object.entries(made.issued).map(([name, pair]) => {
    pairs.set(name, pair);
    return writePair(dir, name, pair);
  });
  await Promise.all(writes);
  const authority = made.ca ?? what.goodCa;
  assert(authority !== undefined, 'the worker made no authority');
  return authority;
}

function present(
  ca: KeyPair,
  pairs: ReadonlyMap<string, KeyPair>,
  options: CertificateOptions & { readonly dir: string },
): Certificates {
  const serving = pairs.get('apiserver');
  assert(serving !== undefined, 'no serving certificate');
  const clients = [...pairs].filter(([name]) => name !== 'apiserver');
  return {
    ca: ca.certificate,
    serving,
    clients: Object.fromEntries(clients),
    issueClientCertificate: (subject) => issueOne(ca, subject, options),
    async keepCertificate(name, subject) {
      const kept = await readPair(options.dir, name);
      const now = options.clock.now();
      if (kept !== undefined && fits(kept, requestOf(name, subject), { ca, now })) return kept;
      const made = await issueOne(ca, subject, options);
      await writePair(options.dir, name, made);
      return made;
    },
  };
}

async function issueOne(ca: KeyPair, subject: CertificateSubject, options: CertificateOptions): Promise<KeyPair> {
  const order = orderOf(ca, [requestOf('one', subject)], options.clock.now());
  const pair = (await runWorker(order, options.workerUrl)).issued['one'];
  assert(pair !== undefined, 'the worker made no certificate');
  return pair;
}

/**
 * A certificate that nobody vouches for, for a server without an authority: `name.crt` and `name.key` under `dir`,
 * the authority that signed it behind it, whose key is thrown away. Made anew when it is old or other names are wanted.
 */
export async function ensureSelfSigned(
  dir: string,
  subject: CertificateSubject & { readonly name: string },
  options: { readonly clock: Clock; readonly workerUrl?: URL },
): Promise<KeyPair> {
  const now = options.clock.now();
  const request = { ...requestOf(subject.name, subject), client: false };
  const kept = await readPair(dir, subject.name);
  if (kept !== undefined && isUsable(kept, now) && names(new X509Certificate(kept.certificate), request)) return kept;
  const order = { ...orderOf(undefined, [request], now), caName: `${subject.commonName}-ca` };
  const { ca, issued } = await runWorker(order, options.workerUrl);
  const leaf = issued[subject.name];
  assert(leaf !== undefined && ca !== undefined, 'the worker made no certificate');
  const pair = { certificate: leaf.certificate + ca.certificate, key: leaf.key };
  await writePair(dir, subject.name, pair);
  return pair;
}

function requestsOf(options: CertificateOptions): CertificateRequest[] {
  const serving: CertificateRequest = {
    name: 'apiserver',
    commonName: 'kube-apiserver',
    organizations: [],
    hostnames: [...new Set([...CLUSTER_NAMES, ...options.hostnames])],
    ips: [...new Set([...CLUSTER_ADDRESSES, ...options.ips])],
    client: false,
  };
  const clients = Object.entries(options.clients ?? {}).map(([name, subject]) => requestOf(name, subject));
  return [serving, ...clients];
}

function requestOf(name: string, subject: CertificateSubject): CertificateRequest {
  const { commonName, organizations = [], hostnames = [], ips = [] } = subject;
  return { name, commonName, organizations, hostnames, ips, client: true };
}

function orderOf(ca: KeyPair | undefined, requests: readonly CertificateRequest[], now: number): CertificateOrder {
  const caNotAfter = now + CA_LIFE_MS;
  const end = ca === undefined ? caNotAfter : Date.parse(new X509Certificate(ca.certificate).validTo);
  return {
    ca,
    requests,
    notBefore: now - BACKDATE_MS,
    notAfter: Math.min(now + LEAF_LIFE_MS, end),
    caNotAfter,
  };
}

function runWorker(order: CertificateOrder, url?: URL): Promise<IssuedCertificates> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(url ?? new URL('./certificate-worker.ts', import.meta.url), { workerData: order });
    worker.once('message', resolve);
    worker.once('error', (error) => reject(new CertificateError('the certificates could not be made', error)));
    // After a message or an error this is without effect.
    worker.once('exit', (code) => reject(new CertificateError(`the certificate worker ended early with code ${code}`)));
  });
}

/** Whether the pair belongs together and lives long enough. */
function isUsable(pair: KeyPair, now: number): boolean {
  const certificate = new X509Certificate(pair.certificate);
  return (
    Date.parse(certificate.validFrom) <= now &&
    Date.parse(certificate.validTo) - now > RENEW_MS &&
    certificate.checkPrivateKey(createPrivateKey(pair.key))
  );
}

function fits(pair: KeyPair, request: CertificateRequest, { ca, now }: { ca: KeyPair; now: number }): boolean {
  if (!isUsable(pair, now)) return false;
  const certificate = new X509Certificate(pair.certificate);
  return certificate.verify(new X509Certificate(ca.certificate).publicKey) && names(certificate, request);
}

function names(certificate: X509Certificate, request: CertificateRequest): boolean {
  return (
    subjectOf(certificate) === subjectText(request) &&
    request.hostnames.every((name) => certificate.checkHost(name) !== undefined) &&
    request.ips.every((ip) => certificate.checkIP(ip) !== undefined)
  );
}

function subjectOf(certificate: X509Certificate): string {
  return certificate.subject.split('\n').toSorted().join('\n');
}

function subjectText(request: CertificateRequest): string {
  return [...request.organizations.map((name) => `O=${name}`), `CN=${request.commonName}`].toSorted().join('\n');
}

async function readPair(dir: string, name: string): Promise<KeyPair | undefined> {
  const certificate = await readTextFile(join(dir, `${name}.crt`));
  const key = await readTextFile(join(dir, `${name}.key`));
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

/** The key first: a certificate without its key would look like somebody else's. */
async function writePair(dir: string, name: string, pair: KeyPair): Promise<void> {
  await writeSecretFile(join(dir, `${name}.key`), pair.key);
  await writeSecretFile(join(dir, `${name}.crt`), pair.certificate);
}
