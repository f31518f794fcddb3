import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { allEnded, assert } from '@binnacle/base';
import type { Clock } from '@binnacle/base';
import { readTextFile, writeSecretFile } from '@binnacle/base/node';
import type { CertificateSubject } from '../certificate.ts';
import { CertificateError } from '../errors.ts';
import { issueCertificate, makeAuthority } from './issue.ts';
import type { KeyPair, Life } from './issue.ts';
import { readKey } from './keys.ts';

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
}

/** The certificates of a server, PEM; see ensureCertificates. */
export interface Certificates {
  /** PEM of the authority that signed everything here. */
  readonly ca: string;
  /** The authority itself, for who signs requests. */
  readonly authority: KeyPair;
  readonly serving: KeyPair;
  readonly clients: { readonly [name: string]: KeyPair };
  /** Signs one more certificate, which is not kept. */
  issueClientCertificate(subject: CertificateSubject): KeyPair;
  /** The certificate kept under `name` where it fits and lives long enough; else a new one, which is kept. */
  keepCertificate(name: string, subject: CertificateSubject): Promise<KeyPair>;
}

/** A certificate that is kept by this name. */
interface Wanted {
  readonly name: string;
  readonly subject: CertificateSubject;
  /** May be shown to servers. */
  readonly client: boolean;
}

/** The authority, what it is asked at, and where its certificates are. */
interface Desk {
  readonly dir: string;
  readonly authority: KeyPair;
  readonly now: number;
}

/**
 * The cluster's own certificate authority under `dir` (0700, files 0600): `ca`, `apiserver`, one pair per client.
 * What exists, fits the wanted names and lives long enough is used as it is; the rest is made. Throws CertificateError.
 */
export async function ensureCertificates(dir: string, options: CertificateOptions): Promise<Certificates> {
  const { clock, clients = {} } = options;
  const authority = await ensureAuthority(dir, clock.now());
  const keep = (wanted: Wanted): Promise<KeyPair> => keepPair({ dir, authority, now: clock.now() }, wanted);
  const named = Object.entries(clients).map(([name, subject]) => ({ name, subject, client: true }));
  const [serving, ...pairs] = await allEnded([servingOf(options), ...named].map(keep));
  assert(serving !== undefined, 'no serving certificate');
  return {
    ca: authority.certificate,
    authority,
    serving,
    clients: Object.fromEntries(pairs.map((pair, i) => [named[i]?.name ?? '', pair])),
    issueClientCertificate: (subject) =>
      issueCertificate(authority, subject, { ...leafLife(authority, clock.now()), client: true }),
    keepCertificate: (name, subject) => keep({ name, subject, client: true }),
  };
}

/** How the API server is known to those that it passes requests on to; PEM. */
export interface FrontProxyCertificates {
  /** Of an authority that vouches for nobody else: whoever it vouches for may speak for any user. */
  readonly ca: string;
  readonly client: KeyPair;
}

/** `front-proxy-ca` and `front-proxy-client` under `dir`, kept and renewed as the others. Throws CertificateError. */
export async function ensureFrontProxy(
  dir: string,
  { clock }: Pick<CertificateOptions, 'clock'>,
): Promise<FrontProxyCertificates> {
  const now = clock.now();
  const authority = await ensureAuthority(dir, now, { file: 'front-proxy-ca', commonName: 'front-proxy-ca' });
  const subject = { commonName: 'front-proxy-client' };
  const client = await keepPair({ dir, authority, now }, { name: 'front-proxy-client', subject, client: true });
  return { ca: authority.certificate, client };
}

const CLUSTER_AUTHORITY = { file: 'ca', commonName: 'kubernetes' };

async function ensureAuthority(
  dir: string,
  now: number,
  { file, commonName }: { readonly file: string; readonly commonName: string } = CLUSTER_AUTHORITY,
): Promise<KeyPair> {
  const kept = await readPair(dir, file);
  if (kept !== undefined && isUsable(kept, now)) return kept;
  const made = makeAuthority(commonName, { notBefore: now - BACKDATE_MS, notAfter: now + CA_LIFE_MS });
  await writePair(dir, file, made);
  return made;
}

async function keepPair({ dir, authority, now }: Desk, wanted: Wanted): Promise<KeyPair> {
  const kept = await readPair(dir, wanted.name);
  if (kept !== undefined && fits(kept, wanted.subject, { authority, now })) return kept;
  const made = issueCertificate(authority, wanted.subject, { ...leafLife(authority, now), client: wanted.client });
  await writePair(dir, wanted.name, made);
  return made;
}

function servingOf({ hostnames, ips }: CertificateOptions): Wanted {
  const subject = {
    commonName: 'kube-apiserver',
    hostnames: [...new Set([...CLUSTER_NAMES, ...hostnames])],
    ips: [...new Set([...CLUSTER_ADDRESSES, ...ips])],
  };
  return { name: 'apiserver', subject, client: false };
}

/** A leaf does not outlive its authority. */
function leafLife(authority: KeyPair, now: number): Life {
  const end = Date.parse(new X509Certificate(authority.certificate).validTo);
  return { notBefore: now - BACKDATE_MS, notAfter: Math.min(now + LEAF_LIFE_MS, end) };
}

/**
 * A certificate that nobody vouches for, for a server without an authority: `name.crt` and `name.key` under `dir`,
 * the authority that signed it behind it, whose key is thrown away. Made anew when it is old or other names are wanted.
 */
export async function ensureSelfSigned(
  dir: string,
  subject: CertificateSubject & { readonly name: string },
  options: { readonly clock: Clock },
): Promise<KeyPair> {
  const now = options.clock.now();
  const kept = await readPair(dir, subject.name);
  if (kept !== undefined && isUsable(kept, now) && names(new X509Certificate(kept.certificate), subject)) return kept;
  const life = { notBefore: now - BACKDATE_MS, notAfter: now + CA_LIFE_MS };
  const authority = makeAuthority(`${subject.commonName}-ca`, life);
  const leaf = issueCertificate(authority, subject, { ...leafLife(authority, now), client: false });
  const pair = { certificate: leaf.certificate + authority.certificate, key: leaf.key };
  await writePair(dir, subject.name, pair);
  return pair;
}

/** Whether the pair belongs together and lives long enough. */
function isUsable(pair: KeyPair, now: number): boolean {
  const certificate = new X509Certificate(pair.certificate);
  return (
    Date.parse(certificate.validFrom) <= now &&
    Date.parse(certificate.validTo) - now > RENEW_MS &&
    certificate.checkPrivateKey(readKey(pair.key, 'its key'))
  );
}

function fits(
  pair: KeyPair,
  subject: CertificateSubject,
  { authority, now }: { readonly authority: KeyPair; readonly now: number },
): boolean {
  if (!isUsable(pair, now)) return false;
  const certificate = new X509Certificate(pair.certificate);
  return certificate.verify(new X509Certificate(authority.certificate).publicKey) && names(certificate, subject);
}

function names(certificate: X509Certificate, { hostnames = [], ips = [], ...subject }: CertificateSubject): boolean {
  return (
    certificate.subject.split('\n').toSorted().join('\n') === subjectText(subject) &&
    hostnames.every((name) => certificate.checkHost(name) !== undefined) &&
    ips.every((ip) => certificate.checkIP(ip) !== undefined)
  );
}

function subjectText({ commonName, organizations = [] }: CertificateSubject): string {
  return [...organizations.map((name) => `O=${name}`), `CN=${commonName}`].toSorted().join('\n');
}

/** Undefined when either half is missing. Throws CertificateError for a file that holds something else. */
async function readPair(dir: string, name: string): Promise<KeyPair | undefined> {
  const file = join(dir, name);
  const certificate = await readTextFile(`${file}.crt`);
  const key = await readTextFile(`${file}.key`);
  if (certificate === undefined || key === undefined) return undefined;
  readKey(key, `${file}.key`);
  try {
    assert(new X509Certificate(certificate).raw.length > 0, 'an empty certificate');
  } catch (error) {
    throw new CertificateError(`${file}.crt is not a certificate in PEM form`, error);
  }
  return { certificate, key };
}

/** The key first: a certificate without its key would look like somebody else's. */
async function writePair(dir: string, name: string, pair: KeyPair): Promise<void> {
  await writeSecretFile(join(dir, `${name}.key`), pair.key);
  await writeSecretFile(join(dir, `${name}.crt`), pair.certificate);
}
