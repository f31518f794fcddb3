import { NO_FIGURES } from '@binnacle/base';
import type { FigureMeasures, GaugeFigure, Scope } from '@binnacle/base';
import type { Client, ClientWorld } from '@binnacle/client';
import type { Controller, ControllerState } from '@binnacle/reconcile';
import { CERTIFICATE_CONTROLLERS } from './certificate-controllers.ts';
import { CLUSTER_CONTROLLERS } from './cluster-controllers.ts';
import type { ControllerKit, ControllerTable, StartOptions } from './controller-kit.ts';
import { DEVICE_CONTROLLERS } from './device-controllers.ts';
import { Informers } from './informers.ts';
import { underUpstreamNames } from './queue-names.ts';
import { NOT_RUN_HERE, selectControllers } from './select-controllers.ts';
import { SERVICE_CONTROLLERS } from './service-controllers.ts';
import { TOKEN_CONTROLLERS } from './token-controllers.ts';
import { VOLUME_CONTROLLERS } from './volume-controllers.ts';
import { WORKLOAD_CONTROLLERS } from './workload-controllers.ts';

/** Which controllers to run, for how long, and as whom. */
export interface ControllersOptions extends StartOptions {
  /**
   * A client that speaks as a controller's ServiceAccount in kube-system (`replication-controller`,
   * `deployment-controller`, …); the empty name is the controller manager itself, whose caches all share.
   */
  readonly clientAs: (name: string) => Client;
  readonly world: ClientWorld;
  readonly scope: Scope;
  /** `--controllers`: names as CONTROLLERS lists them, `*` for all, `-name` for all but this one. Default `*`. */
  readonly which?: readonly string[];
}

/** Running controllers. They end with the scope. */
export interface RunningControllers {
  /** What each is doing: its queue, its retries, their reasons. */
  inspect(): readonly ControllerState[];
  /** Each of them by upstream's name, and why it stands still; undefined: it does not. */
  health(): readonly { readonly name: string; readonly trouble: string | undefined }[];
  /** The controllers that one of our own assertions stopped, with the reason: empty as long as all is well. */
  broken(): readonly { readonly name: string; readonly reason: string }[];
}

/** In this order: the garbage collector last, it watches everything and takes the caches that are there already. */
const STARTS: ControllerTable = {
  ...WORKLOAD_CONTROLLERS,
  ...SERVICE_CONTROLLERS,
  ...VOLUME_CONTROLLERS,
  ...DEVICE_CONTROLLERS,
  ...CERTIFICATE_CONTROLLERS,
  ...TOKEN_CONTROLLERS,
  ...CLUSTER_CONTROLLERS,
};

/** As upstream: only who joins nodes by bootstrap tokens wants them. */
const OFF_BY_DEFAULT = ['bootstrap-signer-controller', 'token-cleaner-controller'];

/** The controllers' names, as upstream's `--controllers` knows them. */
export const CONTROLLERS: readonly string[] = Object.keys(STARTS);

/** Those that a `--controllers` list means. Throws UnknownControllerError. */
export function controllersIn(list: readonly string[]): readonly string[] {
  return selectControllers(list, CONTROLLERS, OFF_BY_DEFAULT);
}

/** Starts the controllers, each with its own identity, over shared caches. Throws UnknownControllerError. */
export function startControllers(options: ControllersOptions): RunningControllers {
  const { clientAs, scope, figures = NO_FIGURES } = options;
  const { queues } = options.world;
  const world = queues === undefined ? options.world : { ...options.world, queues: underUpstreamNames(queues) };
  const standing = whileOpen(figures, scope);
  const informers = new Informers({ client: clientAs(''), world, scope });
  const running: Controller[] = [];
  const byName: { readonly name: string; readonly parts: readonly Controller[] }[] = [];
  for (const [name, reason] of NOT_RUN_HERE) {
    if (options.which?.includes(name) === true) world.log.info(0, 'controller is not run here', { name, reason });
  }
  for (const name of controllersIn(options.which ?? ['*'])) {
    const entry = STARTS[name];
    if (entry === undefined) continue;
    const kit = { client: clientAs(entry.account), world, scope: scope.child(name), informers, figures: standing };
    tellRunning({ figures, scope: kit.scope }, name);
    const started = entry.start(kit, options);
    const parts = 'inspect' in started ? [started] : started;
    running.push(...parts);
    byName.push({ name, parts });
  }
  // All needs are declared now.
  informers.start();
  const inspect = (): readonly ControllerState[] => running.map((controller) => controller.inspect());
  return {
    inspect,
    health: () =>
      byName.map(({ name, parts }) => ({
        name,
        trouble: parts.map((part) => part.inspect().broken).find((broken) => broken !== undefined),
      })),
    broken: () => inspect().flatMap(({ name, broken }) => (broken === undefined ? [] : [{ name, reason: broken }])),
  };
}

/**
 * What a gauge says holds as long as somebody keeps it up: another process may lead from then on, and both would be added up.
 * What was counted stays.
 */
function whileOpen(figures: FigureMeasures, scope: Scope): FigureMeasures {
  const gauges = new Set<GaugeFigure>();
  // Behind all that the controllers do at their end.
  scope.defer(() => gauges.forEach((gauge) => gauge.clear()));
  return {
    counter: (named) => figures.counter(named),
    gauge: (named) => {
      const gauge = figures.gauge(named);
      gauges.add(gauge);
      return gauge;
    },
    spread: (named, bounds) => figures.spread(named, bounds),
    beforeShown: (refresh) => figures.beforeShown(refresh),
  };
}

/** Which controllers run in this process, and whose they are. */
function tellRunning({ figures, scope }: Pick<ControllerKit, 'figures' | 'scope'>, name: string): void {
  const labels = ['name', 'manager'];
  const running = figures.gauge({
    name: 'running_managed_controllers',
    help: 'Where a controller runs: 1 while it does in this process.',
    labels,
  });
  const values = [name, 'kube-controller-manager'];
  running.set(values, 1);
  scope.defer(() => running.set(values, 0));
}
