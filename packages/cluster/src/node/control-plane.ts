import type { Features, ResourceInfo } from '@binnacle/api';
import {
  CertificateFigures,
  createApiServer,
  createPolicy,
  createSecretTokenSigner,
  ReloadFigures,
} from '@binnacle/apiserver';
import type {
  AdmissionChoice,
  AuthenticationChoice,
  AuthorizerSettings,
  PolicyOptions,
  ApiServer,
  ApiServerOptions,
  AuditOptions,
} from '@binnacle/apiserver';
import { connectNodes, webSocketDesk } from '@binnacle/apiserver/node';
import type { NodeConnectorOptions, TlsChoice, TokenKeyFiles } from '@binnacle/apiserver/node';
import { assert, hostPort } from '@binnacle/base';
import { createHttpCaller } from '@binnacle/base/node';
import type { HttpCaller, Scope } from '@binnacle/base';
import { checkRequestSignature, createRequestSigner } from '@binnacle/certificates/node';
import type { Certificates, KeyPair, RequestSigner } from '@binnacle/certificates/node';
import { openLocalStream } from '@binnacle/kubelet/node';
import type { Client } from '@binnacle/client';
import type { UserInfo } from '@binnacle/machinery';
import { ComponentHealth } from '../component-health.ts';
import { clientsOf } from '../client-as.ts';
import { LocalNodes } from '../local-nodes.ts';
import type { World } from '../world.ts';
import { followPolicyFiles } from './policy-files.ts';
import type { PolicyFiles } from './policy-files.ts';
import { openListener } from './open-listener.ts';
import type { CertificateFiles } from './open-listener.ts';
import type { EncryptionChoice } from './encryption.ts';
import { openParts } from './plane-parts.ts';
import { processMetrics } from './process-metrics.ts';
import { certifiedAddresses, firstOwnAddress, isLoopbackHost, isWildcard, reachableHost } from './own-addresses.ts';
import { serverIdentity, shownHash } from './server-identity.ts';
import type { StoreChoice } from './open-store.ts';

/** A control plane in this process: where it listens, what it keeps where, who of its components runs. */
export interface ControlPlaneOptions {
  readonly world: World;
  /** The control plane stops with it. */
  readonly scope: Scope;
  /** Folder of certificates and keys. */
  readonly pki: string;
  readonly store: StoreChoice;
  /** Absent: objects rest as they are. */
  readonly encryption?: EncryptionChoice;
  /** Which admission plugins are on. Absent: upstream's default. */
  readonly admission?: AdmissionChoice;
  /** Absent: no socket; only callers of the process reach it. */
  readonly listen?: { readonly host: string; readonly port: number };
  /**
   * The address under which pods and other nodes reach this server: published in `endpoints/kubernetes`, listened on
   * and named in the certificate. Absent: what it listens on, where that is not a loopback address.
   */
  readonly advertiseAddress?: string;
  /** PEM of the authority of kubelets' serving certificates. Absent: they are not verified, upstream's default. */
  readonly kubeletCa?: string;
  /** Texts of PEM in place of, or beside, what is kept in `pki`: upstream's flags for servers that share a cluster. */
  readonly authority?: AuthorityTexts;
  /** The controllers and the scheduler run in this process. Absent: `componentstatuses` asks at upstream's ports. */
  readonly holdsComponents?: boolean;
  /** How long Events live. Absent: an hour. */
  readonly eventTtlSeconds?: number;
  /** Whether the API server remembers who did what and why. Absent: it does. */
  readonly trace?: boolean;
  /** Whether people with the right may hold components. Absent: nobody may. */
  readonly pauses?: boolean;
  /** The store forgets what is older: upstream's `--etcd-compaction-interval`, 0 for never. Absent: five minutes. */
  readonly compactionIntervalMs?: number;
  /** Of which source the program is, for `/version`. */
  readonly commit?: string;
  /** Requests served at once. Absent: upstream's 600. */
  readonly seats?: number;
  /** Who is believed beside certificates and ServiceAccounts. Absent: nobody, and callers may be anonymous. */
  readonly authentication?: AuthenticationChoice;
  /** Who decides, in order. Absent: Node, then RBAC. */
  readonly authorization?: readonly AuthorizerSettings[];
  /** Where these came from: followed when they change. Absent: they stay. */
  readonly files?: PolicyFiles;
  /** Whether the log's level may be changed over HTTP: upstream's `--profiling`. Absent: it may. */
  readonly profiling?: boolean;
  /** What the process was started with, for `/flagz`. */
  readonly flags?: ReadonlyMap<string, string>;
  /** Ranges that Services have their addresses from, one of a family, the first is theirs by default. Absent: `10.96.0.0/16`. */
  readonly serviceCidrs?: readonly string[];
  /** Feature gates that people switch. Absent: as upstream has them by default. */
  readonly features?: Features;
  /** What is served beside what is always served. Absent: nothing. */
  readonly onRequest?: readonly ResourceInfo[];
  /** What is recorded of requests. Absent: nothing. */
  readonly audit?: AuditChoice;
  /** Freezes cached objects; on in tests. */
  readonly assertions?: boolean;
  /** Called when the socket listens, before the cluster's first objects are written. */
  readonly onListening?: () => void;
}

/** What is recorded, and where, once it is known by what the server asks others. */
export type AuditChoice = (world: World & { readonly http: HttpCaller }) => AuditOptions;

/** See `ControlPlaneOptions.authority`. */
export interface AuthorityTexts {
  readonly tokenKeys: TokenKeyFiles;
  /** Certificates of further authorities whose clients are believed. */
  readonly clientCa?: string;
  /** Shown to clients instead of a certificate of the cluster's own authority. */
  readonly serving?: KeyPair;
  /** Where that came from: read anew when it changes. */
  readonly servingFiles?: CertificateFiles;
  /** Which versions of TLS and ciphers clients may speak. */
  readonly tls?: TlsChoice;
}

/** An API server that answers, with the objects that every cluster starts with. */
export interface ControlPlane {
  readonly server: ApiServer;
  /** `https://host:port`; empty without a socket. */
  readonly url: string;
  readonly certificates: Certificates;
  /** PEM of the cluster's authority. */
  readonly rootCA: string;
  /** Signs requests that were approved, with the cluster's authority. */
  readonly signRequest: RequestSigner;
  /** Signs tokens that secrets keep. */
  readonly signToken: ReturnType<typeof createSecretTokenSigner>;
  /** Kubelets of this process; others are asked over HTTPS. */
  readonly nodes: LocalNodes;
  /** What `/healthz` shows of components beside it. */
  readonly health: ComponentHealth;
  clientAs(user: UserInfo): Client;
}

/** Files of client certificates that are kept beside the CA, by their name. Components of their own have what `binnacle kubeconfig` prints. */
export const KEPT_CLIENTS = {
  admin: { commonName: 'kubernetes-admin', organizations: ['system:masters'] },
  'apiserver-kubelet-client': { commonName: 'kube-apiserver-kubelet-client', organizations: ['system:masters'] },
} as const;

const PASSING_CONNECTIONS_MAX = 4096;
/** To one webhook, say: a quarter of all. */
const PLACE_CONNECTIONS_MAX = 128;

/** What the API server itself is told of the options. */
function serverChoices({
  eventTtlSeconds,
  commit,
  trace = true,
  pauses = false,
  assertions = false,
  features,
  onRequest = [],
}: ControlPlaneOptions) {
  return {
    trace,
    pauses,
    onRequest,
    ...(features === undefined ? {} : { features }),
    ...(eventTtlSeconds === undefined ? {} : { eventTtlSeconds }),
    ...(commit === undefined ? {} : { commit }),
    assertions,
  };
}

/**
 * Opens the store, starts the API server over it, listens, and writes what is missing of the first objects. Rejects where the
 * scope is closed meanwhile: the store is then, too.
 */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { world, scope } = options;
  const advertised = advertisedAddress(options);
  const ips = certifiedAddresses(options.listen?.host, {
    advertised: advertised === undefined ? [] : [advertised],
    ...(options.serviceCidrs === undefined ? {} : { serviceCidrs: options.serviceCidrs }),
  });
  const identity = serverIdentity(options.listen?.port ?? 0);
  const about = { hash: shownHash, serverId: identity.name };
  const reloads = new ReloadFigures({ clock: world.clock, ...about });
  const { certificates, frontProxy, tokenKeys, store, sealing } = await openParts(options, {
    ...about,
    reloads,
    certificates: { ips, clients: KEPT_CLIENTS },
  });
  scope.signal.throwIfAborted();
  const health = new ComponentHealth();
  const nodes = new LocalNodes(
    world.clock,
    connectNodes(kubeletAccess(certificates, options.kubeletCa)),
    (kubelet, request) => openLocalStream(kubelet, request, world.clock),
  );
  const asked = new CertificateFigures();
  const { http, passing } = openCallers(scope, asked);
  const server = await createApiServer({
    store,
    ...(sealing === undefined ? {} : { transformer: sealing.transformer }),
    clock: world.clock,
    random: world.random,
    log: world.log.named('apiserver'),
    policy: policyOf(options, {
      tokenKeys,
      clientCa: clientAuthorities(options, certificates),
      frontProxyCa: frontProxy.ca,
      identity,
      http,
      reloads,
    }),
    figures: [reloads, asked, ...(sealing === undefined ? [] : [sealing.figures])],
    nodes,
    webSockets: webSocketDesk,
    http,
    passing,
    ...takingIn(options, http),
    frontProxy: frontProxy.client,
    healthChecks: () => [...(sealing?.healthChecks() ?? []), ...health.checks()],
    ...(options.holdsComponents === true ? { components: health.components } : {}),
    processMetrics: () => processMetrics(world.clock.now()),
    ...serverChoices(options),
  });
  scope.defer(() => server.close());
  scope.signal.throwIfAborted();
  const url = await openSocket(options, server, certificates);
  const { hostname: heardAt, port } = url === '' ? { hostname: '127.0.0.1', port: '443' } : new URL(url);
  scope.signal.throwIfAborted();
  const addresses = [heardAt.replace(/^\[|\]$/g, ''), ...(advertised === undefined ? [] : [advertised])];
  await server.bootstrap({ addresses, port: Number(port) });
  const clientAs = clientsOf(server, world);
  return {
    server,
    url,
    certificates,
    rootCA: `${certificates.ca}${options.authority?.serving?.certificate ?? ''}`,
    signRequest: createRequestSigner(certificates.authority, () => world.clock.now()),
    signToken: createSecretTokenSigner(tokenKeys),
    nodes,
    health,
    clientAs,
  };
}

/** What the server asks others with: for itself, and on behalf of its clients. */
function openCallers(
  scope: Scope,
  asked: CertificateFigures,
): { readonly http: HttpCaller; readonly passing: HttpCaller } {
  // A webhook that hangs with every write of its kind leaves other webhooks, issuers and servers their connections.
  const http = createHttpCaller({ connectionsPerPlace: PLACE_CONNECTIONS_MAX });
  // Clients hold their connections as long as they like: nobody else waits for those.
  const passing = createHttpCaller({ connectionsMax: PASSING_CONNECTIONS_MAX });
  scope.defer(() => http.close());
  scope.defer(() => passing.close());
  return { http: asked.counting(http, 'webhooks'), passing: asked.counting(passing, 'kube_aggregator') };
}

/** Policy as the options have it, its parts exchanged when the files change that they came from. */
function policyOf(
  options: ControlPlaneOptions,
  {
    reloads,
    ...parts
  }: Pick<PolicyOptions, 'tokenKeys' | 'clientCa' | 'frontProxyCa' | 'identity' | 'http'> & {
    readonly reloads: ReloadFigures;
  },
): NonNullable<ApiServerOptions['policy']> {
  return (world) => {
    const { serviceCidrs } = options;
    const ranges = serviceCidrs === undefined ? {} : { serviceCidrs };
    const policy = createPolicy(world, { ...parts, checkRequestSignature, ...ranges, ...whoMay(options) });
    followPolicyFiles(options, policy.changes, reloads);
    return policy;
  };
}

/** Who comes in, who decides, and what is let in. */
function whoMay(
  options: ControlPlaneOptions,
): Pick<PolicyOptions, 'admission' | 'authentication' | 'authorization' | 'trustBundles'> {
  const { admission, authentication, authorization, features } = options;
  return {
    trustBundles: features?.ClusterTrustBundle ?? false,
    ...(admission === undefined ? {} : { admission }),
    ...(authentication === undefined ? {} : { authentication }),
    ...(authorization === undefined ? {} : { authorization }),
  };
}

/** How requests are taken in. */
function takingIn(
  { seats, audit, flags, profiling, world }: ControlPlaneOptions,
  http: HttpCaller,
): Pick<ApiServerOptions, 'audit' | 'flags' | 'profiling' | 'seats'> {
  return {
    ...(seats === undefined ? {} : { seats }),
    ...(flags === undefined ? {} : { flags }),
    ...(profiling === undefined ? {} : { profiling }),
    ...(audit === undefined ? {} : { audit: audit({ ...world, http }) }),
  };
}

/** Asked for, else what the server listens on, where others than this host reach it. */
function advertisedAddress({ listen: at, advertiseAddress }: ControlPlaneOptions): string | undefined {
  if (at === undefined || advertiseAddress !== undefined) return advertiseAddress;
  if (isWildcard(at.host)) return firstOwnAddress();
  return isLoopbackHost(at.host) ? undefined : at.host;
}

/** Whose client certificates are believed: the cluster's own, and those named beside it. */
function clientAuthorities({ authority }: ControlPlaneOptions, { ca }: Certificates): string {
  return authority?.clientCa === undefined ? ca : `${ca.trimEnd()}\n${authority.clientCa}`;
}

/** Who the API server is to kubelets that are not of this process. */
function kubeletAccess(certificates: Certificates, kubeletCa: string | undefined): NodeConnectorOptions {
  const client = certificates.clients['apiserver-kubelet-client'];
  assert(client !== undefined, 'the certificate for kubelets is kept');
  return { cert: client.certificate, key: client.key, ...(kubeletCa === undefined ? {} : { kubeletCa }) };
}

async function openSocket(
  options: ControlPlaneOptions,
  server: ApiServer,
  certificates: Certificates,
): Promise<string> {
  if (options.listen === undefined) return '';
  const { host } = options.listen;
  const open = async (at: string, port: number): Promise<number> => {
    const { serving = certificates.serving, servingFiles, tls } = options.authority ?? {};
    const clientCa = clientAuthorities(options, certificates);
    const requestHeaders = options.authentication?.requestHeaders;
    return openListener({ server, host: at, port, serving, clientCa, requestHeaders, servingFiles, tls }, options);
  };
  const port = await open(host, options.listen.port);
  const { advertiseAddress } = options;
  // What is published is listened on.
  if (advertiseAddress !== undefined && !isWildcard(host) && advertiseAddress !== host)
    await open(advertiseAddress, port);
  options.onListening?.();
  return `https://${hostPort(reachableHost(host), port)}`;
}
