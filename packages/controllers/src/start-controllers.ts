import type { Scope } from '@binnacle/base';
import type { Client, ClientWorld } from '@binnacle/client';
import type { Controller, ControllerState } from '@binnacle/reconcile';
import type { ControllerKit } from './controller-kit.ts';
import { runDeploymentController } from './deployment/wiring.ts';
import { runEndpointSliceMirroringController } from './endpointslice-mirroring/wiring.ts';
import { runEndpointSliceController } from './endpointslice/wiring.ts';
import { runEndpointsController } from './endpoints/wiring.ts';
import { runGarbageCollector } from './garbage/wiring.ts';
import { runNamespaceController } from './namespace/wiring.ts';
import { runNodeLifecycleController } from './node-lifecycle/wiring.ts';
import { runPodGarbageCollector } from './pod-gc/wiring.ts';
import { runReplicaSetController } from './replicaset/wiring.ts';
import { runReplicationController } from './replication/wiring.ts';
import { runRootCaPublisher } from './root-ca/wiring.ts';
import { selectControllers } from './select-controllers.ts';
import { runServiceAccountController } from './serviceaccount/wiring.ts';
import { Informers } from './informers.ts';
import { runTaintEvictionController } from './taint-eviction/wiring.ts';

/** Which controllers to run, for how long, and as whom. */
export interface ControllersOptions {
  /**
   * A client that speaks as a controller's ServiceAccount in kube-system (`replication-controller`,
   * `deployment-controller`, …); the empty name is the controller manager itself, whose caches all share.
   */
  readonly clientAs: (name: string) => Client;
  readonly world: ClientWorld;
  readonly scope: Scope;
  /** PEM of the authority that signed the API server's certificate, for every namespace's kube-root-ca.crt. */
  readonly rootCA: string;
  /** `--controllers`: names as CONTROLLERS lists them, `*` for all, `-name` for all but this one. Default `*`. */
  readonly which?: readonly string[];
}

/** Running controllers. They end with the scope. */
export interface RunningControllers {
  /** What each is doing: its queue, its retries, their reasons. */
  inspect(): readonly ControllerState[];
  /** The controllers that one of our own assertions stopped, with the reason: empty as long as all is well. */
  broken(): readonly { readonly name: string; readonly reason: string }[];
}

type Start = (kit: ControllerKit, options: ControllersOptions) => Controller | readonly Controller[];

const STARTS: { readonly [name: string]: { readonly account: string; readonly start: Start } } = {
  'replicationcontroller-controller': { account: 'replication-controller', start: runReplicationController },
  'namespace-controller': { account: 'namespace-controller', start: runNamespaceController },
  'serviceaccount-controller': { account: 'service-account-controller', start: runServiceAccountController },
  'root-ca-certificate-publisher-controller': { account: 'root-ca-cert-publisher', start: runRootCaPublisher },
  'endpoints-controller': { account: 'endpoint-controller', start: runEndpointsController },
  'endpointslice-controller': { account: 'endpointslice-controller', start: runEndpointSliceController },
  'endpointslice-mirroring-controller': {
    account: 'endpointslicemirroring-controller',
    start: runEndpointSliceMirroringController,
  },
  'deployment-controller': { account: 'deployment-controller', start: runDeploymentController },
  'replicaset-controller': { account: 'replicaset-controller', start: runReplicaSetController },
  'node-lifecycle-controller': { account: 'node-controller', start: runNodeLifecycleController },
  'taint-eviction-controller': { account: 'node-controller', start: runTaintEvictionController },
  'pod-garbage-collector-controller': { account: 'pod-garbage-collector', start: runPodGarbageCollector },
  // Last: it watches everything, and takes the caches that are there already.
  'garbage-collector-controller': { account: 'generic-garbage-collector', start: runGarbageCollector },
};

/** The controllers' names, as upstream's `--controllers` knows them. */
export const CONTROLLERS: readonly string[] = Object.keys(STARTS);

/** Starts the controllers, each with its own identity, over shared caches. Throws UnknownControllerError. */
export function startControllers(options: ControllersOptions): RunningControllers {
  const { clientAs, world, scope } = options;
  const informers = new Informers({ client: clientAs(''), world, scope });
  const running: Controller[] = [];
  for (const name of selectControllers(options.which ?? ['*'], CONTROLLERS)) {
    const entry = STARTS[name];
    if (entry === undefined) continue;
    const kit = { client: clientAs(entry.account), world, scope: scope.child(name), informers };
    const started = entry.start(kit, options);
    running.push(...('inspect' in started ? [started] : started));
  }
  // All needs are declared now.
  informers.start();
  const inspect = (): readonly ControllerState[] => running.map((controller) => controller.inspect());
  return {
    inspect,
    broken: () => inspect().flatMap(({ name, broken }) => (broken === undefined ? [] : [{ name, reason: broken }])),
  };
}
