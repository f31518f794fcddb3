/**
 * A kubelet's own certificates, that which it shows to the API server and that which it shows to who asks it: asked for by a
 * CertificateSigningRequest, kept in a file, and asked for anew before they end.
 */
import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CERTIFICATE_SIGNING_REQUESTS } from '@binnacle/api';
import type { NodeAddress } from '@binnacle/api/core/v1';
import type { CertificateSigningRequest } from '@binnacle/api/certificates/v1';
import { messageOf, randomFloat, sleep } from '@binnacle/base';
import type { Scope } from '@binnacle/base';
import { makeRequest } from '@binnacle/certificates/node';
import { timedCause } from '@binnacle/client';
import type { Client } from '@binnacle/client';
import { ClusterError } from '../errors.ts';
import type { World } from '../world.ts';

/** A certificate and its private key, PEM; times in milliseconds since the epoch. */
export interface NodeCertificate {
  readonly certificate: string;
  readonly key: string;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** What a certificate is for. */
export interface CertificateUse {
  readonly signer: string;
  readonly usages: readonly string[];
  /** Whom it names beside the node. */
  readonly hostnames?: readonly string[];
  readonly ips?: readonly string[];
}

/** For a node that speaks to the API server. */
export const CLIENT_USE: CertificateUse = {
  signer: 'kubernetes.io/kube-apiserver-client-kubelet',
  usages: ['digital signature', 'client auth'],
};

/** For a node that is asked at its addresses; an administrator has to approve of it. */
export function servingUse(addresses: readonly NodeAddress[]): CertificateUse {
  const of = (isWanted: (type: string) => boolean): readonly string[] => [
    ...new Set(addresses.filter(({ type }) => isWanted(type)).map(({ address }) => address)),
  ];
  return {
    signer: 'kubernetes.io/kubelet-serving',
    usages: ['digital signature', 'server auth'],
    hostnames: of((type) => type === 'Hostname' || type.endsWith('DNS')),
    ips: of((type) => type.endsWith('IP')),
  };
}

/** Upstream's: an administrator may have to say yes. */
const WAIT_MS = 15 * 60_000;
const RETRY_MS = 2_000;
const RETRY_MS_MAX = 5 * 60_000;
/** Timers of Node go no further than 24 days. */
const SLEEP_MS_MAX = 24 * 3_600_000;

/** What is in the file; undefined: nothing that is valid now. */
export async function readNodeCertificate(path: string, now: number): Promise<NodeCertificate | undefined> {
  // Absent or unreadable: another one is asked for.
  const text = await readFile(path, 'utf8').catch(() => '');
  const [key = ''] = /-----BEGIN (?:EC )?PRIVATE KEY-----[\s\S]*?-----END (?:EC )?PRIVATE KEY-----\n?/.exec(text) ?? [];
  const certificate = text.replace(key, '');
  if (key === '' || !certificate.includes('BEGIN CERTIFICATE')) return undefined;
  const found = asCertificate(certificate, key);
  return found.notAfter > now ? found : undefined;
}

/**
 * Asks the cluster for a certificate of the node, waits until it is issued, and keeps it in the file, the key first in
 * nobody's hands but ours. Throws ClusterError where it is denied, or nobody says yes in time.
 */
export async function requestNodeCertificate(of: {
  readonly client: Client;
  readonly nodeName: string;
  readonly use: CertificateUse;
  readonly path: string;
  readonly world: World;
  readonly signal: AbortSignal;
}): Promise<NodeCertificate> {
  const { client, nodeName, path, world, signal, use } = of;
  const { signer: signerName, usages, hostnames = [], ips = [] } = use;
  const subject = { commonName: `system:node:${nodeName}`, organizations: ['system:nodes'], hostnames, ips };
  const { request, key } = makeRequest(subject);
  const made = await client.resource(CERTIFICATE_SIGNING_REQUESTS).create(
    {
      metadata: { generateName: 'csr-' },
      spec: { request: btoa(request), signerName, usages },
    } as never,
    {},
    { cause: timedCause('kubelet', `certificate of node ${nodeName}`) },
  );
  const name = made.metadata.name ?? '';
  world.log.info(1, 'Waiting for a certificate of this node', { request: name });
  const issued = await untilIssued(client, name, { world, signal });
  const certificate = atob(issued.status?.certificate ?? '');
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.new`, `${certificate.trimEnd()}\n${key}`, { mode: 0o600 });
  await rename(`${path}.new`, path);
  return asCertificate(certificate, key);
}

/** Renews it in time for as long as the scope lives, at 70 to 90 per cent of its life (at once where there is none yet); `renewed` is told of each. */
export function keepNodeCertificate(
  current: NodeCertificate | undefined,
  of: Omit<Parameters<typeof requestNodeCertificate>[0], 'signal'> & {
    readonly scope: Scope;
    readonly renewed: (certificate: NodeCertificate) => void;
  },
): void {
  const { world, scope } = of;
  scope.run('certificate of this node', async (signal) => {
    for (let held = current; !signal.aborted;) {
      // Until its own time comes.
      if (held !== undefined) await sleepUntil(renewalAt(held, randomFloat(world.random)), world, signal);
      if (signal.aborted) return;
      held = await untilRenewed({ ...of, signal });
      of.renewed(held);
    }
  });
}

/** Whether a certificate names all whom it is to name: a node may have got other addresses since it was asked for. */
export function namesAll({ certificate }: NodeCertificate, { hostnames = [], ips = [] }: CertificateUse): boolean {
  const found = new X509Certificate(certificate);
  return (
    hostnames.every((name) => found.checkHost(name) !== undefined) && ips.every((ip) => found.checkIP(ip) !== undefined)
  );
}

/** When a certificate is to be renewed; `share` from 0 to 1, so that nodes of one day do not come together. */
export function renewalAt({ notBefore, notAfter }: NodeCertificate, share: number): number {
  return notBefore + (notAfter - notBefore) * (0.7 + 0.2 * share);
}

async function untilRenewed(of: Parameters<typeof requestNodeCertificate>[0]): Promise<NodeCertificate> {
  for (let pause = RETRY_MS; ; pause = Math.min(pause * 2, RETRY_MS_MAX)) {
    try {
      return await requestNodeCertificate(of);
    } catch (error) {
      if (of.signal.aborted) throw error;
      of.world.log.warn('No new certificate of this node yet', { reason: messageOf(error) });
      await sleep(of.world.clock, pause, of.signal);
    }
  }
}

async function sleepUntil(at: number, { clock }: World, signal: AbortSignal): Promise<void> {
  // A timer cannot be set for so long, and the wall clock may jump meanwhile.
  for (let left = at - clock.now(); left > 0 && !signal.aborted; left = at - clock.now()) {
    await sleep(clock, Math.min(left, SLEEP_MS_MAX), signal);
  }
}

async function untilIssued(
  client: Client,
  name: string,
  { world: { clock }, signal }: { readonly world: World; readonly signal: AbortSignal },
): Promise<CertificateSigningRequest> {
  const deadline = clock.monotonic() + WAIT_MS;
  while (!signal.aborted && clock.monotonic() < deadline) {
    const found = await nextWord(client, name, { clock, ms: deadline - clock.monotonic(), signal });
    if (found !== undefined) return found;
    // A watch that broke is not opened again at once.
    await sleep(clock, RETRY_MS, signal);
  }
  throw new ClusterError('certificate-request', `nobody has issued the certificate that ${name} asks for`);
}

/** Undefined: the watch ended without a word, or the time is over. Throws ClusterError where it is denied. */
function nextWord(
  client: Client,
  name: string,
  of: { readonly clock: World['clock']; readonly ms: number; readonly signal: AbortSignal },
): Promise<CertificateSigningRequest | undefined> {
  return new Promise((resolve, reject) => {
    const end = (act: () => void): void => {
      // First: a watch that is stopped ends, and what comes second does not count.
      act();
      timer.cancel();
      of.signal.removeEventListener('abort', stop);
      handle.stop();
    };
    const stop = (): void => end(() => resolve(undefined));
    const timer = of.clock.after(of.ms, stop, { background: true });
    of.signal.addEventListener('abort', stop, { once: true });
    const handle = client.resource(CERTIFICATE_SIGNING_REQUESTS).watch(
      { sendInitialEvents: true, fieldSelector: `metadata.name=${name}` },
      {
        events(batch) {
          for (const { type, object } of batch) {
            if (type === 'BOOKMARK') continue;
            const { certificate = '', conditions = [] } = (object as CertificateSigningRequest).status ?? {};
            const denied = conditions.find((one) => one.type === 'Denied' || one.type === 'Failed');
            if (denied !== undefined) {
              const why = `${denied.reason ?? ''}: ${denied.message ?? ''}`;
              return end(() => reject(new ClusterError('certificate-request', `${name} was refused: ${why}`)));
            }
            if (certificate !== '') return end(() => resolve(object as CertificateSigningRequest));
          }
          return undefined;
        },
        end: stop,
      },
    );
  });
}

/** A certificate and its key (PEM), with its times. */
export function asCertificate(certificate: string, key: string): NodeCertificate {
  const { validFrom, validTo } = new X509Certificate(certificate);
  return { certificate, key, notBefore: Date.parse(validFrom), notAfter: Date.parse(validTo) };
}
