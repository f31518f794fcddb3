import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { SERVICE_ACCOUNTS } from '@binnacle/api';
import type { HealthCheck } from '@binnacle/apiserver';
import type { Logger, Scope } from '@binnacle/base';
import { realClock, secureRandom } from '@binnacle/base/node';
import { createClient, createFencedWire, createTraceReporter, runLeaderElection, timedCause } from '@binnacle/client';
import type { Client, Election, LeaderElectionOptions, Term } from '@binnacle/client';
import { createHttpWire } from '@binnacle/client/node';
import type { HttpWireOptions } from '@binnacle/client/node';
import { startControllers } from '@binnacle/controllers';
import type { ControllersOptions, RunningControllers } from '@binnacle/controllers';
import { status } from '@binnacle/machinery';
import { UsageError } from '../errors.ts';
import { createComponentBook, electionChecks, failing } from '../host/component-book.ts';
import { openComponentPort, refuseWrongPort } from '../host/component-port.ts';
import type { ControllerManagerFlags } from '../host/controller-manager-flags.ts';
import { featuresOf } from '../host/feature-choice.ts';
import { readControllerManagerConfig, shownControllerManagerConfig } from '../host/controller-manager-config.ts';
import { refuseUnknownControllers } from '../host/controllers-choice.ts';
import { userKubeconfig } from '../host/kubeconfig.ts';
import { runUntilStopped } from '../host/process.ts';

const SECURE_PORT = 10_257;
const TOKEN_SECONDS = 3600;
/** A token is asked for again when this share of its life is over. */
const RENEW_SHARE = 0.8;

interface Granted {
  readonly status: { readonly token: string };
}

/** Gives tokens of one ServiceAccount in kube-system, made when it is missing; asks again before one runs out. */
function createTokenSource(admin: Client, name: string): () => Promise<string> {
  let held: { readonly token: string; readonly renewAt: number } | undefined;
  let asking: Promise<string> | undefined;
  const accounts = admin.resource(SERVICE_ACCOUNTS, 'kube-system');
  const context = { cause: timedCause('kube-controller-manager', `a token of ${name}`) };
  const ask = async (): Promise<string> => {
    try {
      await accounts.create({ metadata: { name } }, undefined, context);
    } catch (error) {
      if (!status.isAlreadyExists(error)) throw error;
    }
    const request = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: { expirationSeconds: TOKEN_SECONDS },
    };
    const reply = await accounts.subresource<Granted>('create', name, 'token', request, context);
    held = { token: reply.status.token, renewAt: realClock.monotonic() + TOKEN_SECONDS * 1000 * RENEW_SHARE };
    return held.token;
  };
  return () => {
    if (held !== undefined && realClock.monotonic() < held.renewAt) return Promise.resolve(held.token);
    asking ??= ask().finally(() => (asking = undefined));
    return asking;
  };
}

/** Each controller with its own ServiceAccount's rights, over HTTP; in a leader's term, its writes do not outlive that. */
function clientsByController(
  base: HttpWireOptions & { readonly log: Logger },
  scope: Scope,
  term?: Term,
): (name: string) => Client {
  const open = (options: HttpWireOptions): Client => {
    const wire = createHttpWire(options);
    scope.defer(() => wire.close());
    return createClient(term === undefined ? wire : createFencedWire(wire, term));
  };
  const manager = open({ ...base, userAgent: 'binnacle-controller-manager' });
  const { cert: _cert, key: _key, token: _token, ...endpoint } = base;
  return (name) =>
    name === ''
      ? manager
      : open({
          ...endpoint,
          tokenSource: createTokenSource(manager, name),
          userAgent: `binnacle-controller-manager/${name}`,
          log: base.log.named(name),
        });
}

/** Who signs certificates, where an authority is given. */
async function signing(
  flags: ControllerManagerFlags,
): Promise<Pick<ControllersOptions, 'signRequest' | 'signingDurationMs'>> {
  const { clusterSigningCertFile: certificate, clusterSigningKeyFile: key, clusterSigningDuration: longest } = flags;
  if (certificate === undefined && key === undefined) return {};
  if (certificate === undefined || key === undefined) {
    throw new UsageError('--cluster-signing-cert-file and --cluster-signing-key-file belong together');
  }
  const { createRequestSigner } = await import('@binnacle/certificates/node');
  const authority = { certificate: await readFile(certificate, 'utf8'), key: await readFile(key, 'utf8') };
  return {
    signRequest: createRequestSigner(authority, () => realClock.now()),
    ...(longest === undefined ? {} : { signingDurationMs: longest }),
  };
}

/** Who fills secrets with tokens, where a key is given. */
async function tokens(
  flags: ControllerManagerFlags,
): Promise<Pick<ControllersOptions, 'signToken' | 'legacyTokenUnusedMs'>> {
  const { serviceAccountPrivateKeyFile: file, legacyServiceAccountTokenCleanUpPeriod: unused } = flags;
  const legacy = unused === undefined ? {} : { legacyTokenUnusedMs: unused };
  if (file === undefined) return legacy;
  const { readTokenKeys } = await import('@binnacle/apiserver/node');
  const signing = { name: '--service-account-private-key-file', text: await readFile(file, 'utf8') };
  const keys = await readTokenKeys(file, { signing, verifying: [] });
  const { createSecretTokenSigner } = await import('@binnacle/apiserver');
  return { ...legacy, signToken: createSecretTokenSigner(keys) };
}

/** Which networks nodes get, where that is asked for. */
function nodeCidrs(flags: ControllerManagerFlags): Pick<ControllersOptions, 'nodeCidrs'> {
  const { allocateNodeCidrs, clusterCidr = [], serviceClusterIpRange: serviceCidrs = [] } = flags;
  if (allocateNodeCidrs !== true) return {};
  if (clusterCidr.length === 0) throw new UsageError('--allocate-node-cidrs needs --cluster-cidr');
  const { nodeCidrMaskSizeIpv4: ipv4, nodeCidrMaskSizeIpv6: ipv6 } = flags;
  const maskSizes = { ...(ipv4 === undefined ? {} : { ipv4 }), ...(ipv6 === undefined ? {} : { ipv6 }) };
  return { nodeCidrs: { clusterCidrs: clusterCidr, maskSizes, serviceCidrs } };
}

/** A member of its name, where there is a value. */
function said<K extends string, V>(name: K, value: V | undefined): { readonly [name in K]?: V } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [name in K]: V });
}

/** How targets are autoscaled, and nodes given up, where anything is said of it. */
function paces(flags: ControllerManagerFlags): Pick<ControllersOptions, 'autoscaler' | 'nodeLifecycle'> {
  return {
    autoscaler: {
      ...said('periodMs', flags.horizontalPodAutoscalerSyncPeriod),
      ...said('downscaleStabilizationMs', flags.horizontalPodAutoscalerDownscaleStabilization),
      ...said('tolerance', flags.horizontalPodAutoscalerTolerance),
      youth: {
        ...said('cpuInitializationMs', flags.horizontalPodAutoscalerCpuInitializationPeriod),
        ...said('initialReadinessMs', flags.horizontalPodAutoscalerInitialReadinessDelay),
      },
    },
    nodeLifecycle: {
      patience: {
        ...said('monitorGraceMs', flags.nodeMonitorGracePeriod),
        ...said('startupGraceMs', flags.nodeStartupGracePeriod),
      },
      rates: {
        ...said('normal', flags.nodeEvictionRate),
        ...said('disrupted', flags.secondaryNodeEvictionRate),
        ...said('unhealthyShare', flags.unhealthyZoneThreshold),
        ...said('largeZone', flags.largeClusterSizeThreshold),
      },
    },
  };
}

/** Upstream's times, and what has to hold between them. Throws UsageError. */
function electionOf(flags: ControllerManagerFlags): Omit<LeaderElectionOptions, 'client' | 'world' | 'identity'> {
  const { leaderElectResourceName: name = 'kube-controller-manager' } = flags;
  const { leaderElectResourceNamespace: namespace = 'kube-system' } = flags;
  const { leaderElectLeaseDuration: leaseMs = 15_000, leaderElectRenewDeadline: renewDeadlineMs = 10_000 } = flags;
  const { leaderElectRetryPeriod: retryMs = 2000 } = flags;
  if (leaseMs <= renewDeadlineMs)
    throw new UsageError('--leader-elect-lease-duration must be greater than --leader-elect-renew-deadline');
  if (renewDeadlineMs <= retryMs)
    throw new UsageError('--leader-elect-renew-deadline must be greater than --leader-elect-retry-period');
  return { name, namespace, leaseMs, renewDeadlineMs, retryMs };
}

/** `binnacle controller-manager`: the controllers alone; of several only the leader's run. */
export async function controllerManager(given: ControllerManagerFlags): Promise<void> {
  const file = given.config === undefined ? {} : await readControllerManagerConfig(given.config);
  const flags = { ...file, ...given };
  const { kubeconfig } = flags;
  if (kubeconfig === undefined)
    throw new UsageError('--kubeconfig is needed (or Generic.ClientConnection.kubeconfig in the file)');
  refuseUnknownControllers(flags.controllers);
  refuseWrongPort(flags);
  const election = electionOf(flags);
  const features = featuresOf(flags);
  await runUntilStopped('controller-manager', flags.v, async (scope, log) => {
    const loaded = await userKubeconfig(kubeconfig);
    const rootCA = flags.rootCaFile === undefined ? loaded.wire.ca : await readFile(flags.rootCaFile, 'utf8');
    if (rootCA === undefined) throw new UsageError('the kubeconfig has no certificate authority: give --root-ca-file');
    const told = {
      rootCA,
      features,
      ...(await signing(flags)),
      ...(await tokens(flags)),
      ...nodeCidrs(flags),
      ...paces(flags),
      attachDetach: { forceDetach: flags.disableForceDetachOnTimeout !== true },
      ...(flags.terminatedPodGcThreshold === undefined
        ? {}
        : { terminatedPodThreshold: flags.terminatedPodGcThreshold }),
      ...(flags.controllers === undefined ? {} : { which: flags.controllers }),
    };
    const book = createComponentBook('kube-controller-manager', { features, flags, log });
    const { queues, controllers: measures } = book.figures;
    const world = { clock: realClock, random: secureRandom, log, queues };
    const client = clientsByController({ ...loaded.wire, log }, scope)('');
    const state: State = { election: undefined, running: undefined };
    const pages = book.pages({
      health: { healthz: () => checksOf(state) },
      config: { 'kubecontrollermanager.config.k8s.io': shownControllerManagerConfig(flags) },
    });
    const port = { component: 'kube-controller-manager', defaultPort: SECURE_PORT, client, pages, world, scope };
    const securePort = await openComponentPort(flags, port);
    const start = (scope: Scope, term?: Term): void => {
      const clientAs = clientsByController({ ...loaded.wire, log }, scope, term);
      const trace = createTraceReporter({ client: clientAs(''), world, scope });
      const measured = { figures: measures.book, rollouts: measures.rollouts };
      state.running = startControllers({ ...told, ...measured, clientAs, world: { ...world, trace }, scope });
      scope.defer(() => void (state.running = undefined));
    };
    if (flags.leaderElect === false) {
      start(scope);
      process.stdout.write(`${JSON.stringify({ pid: process.pid, securePort })}\n`);
      return;
    }
    const identity = `${hostname()}_${secureRandom.uuid()}`;
    const stand = { client, world, ...election, identity, figures: measures.book };
    state.election = runLeaderElection(stand, scope, start);
    process.stdout.write(`${JSON.stringify({ pid: process.pid, identity, securePort })}\n`);
  });
}

interface State {
  election: Election | undefined;
  /** In its term alone. */
  running: RunningControllers | undefined;
}

function checksOf({ election, running }: State): readonly HealthCheck[] {
  const controllers = running?.health() ?? [];
  return [...electionChecks(election), ...controllers.map(({ name, trouble }) => failing(name, () => trouble))];
}
