import { HORIZONTAL_POD_AUTOSCALERS, PODS } from '@binnacle/api';
import { cacheKey } from '@binnacle/client';
import { runController, triggerOf } from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import { recorderFor } from '../controller-kit.ts';
import type { ControllerKit, StartOptions } from '../controller-kit.ts';
import { SelectedPods } from '../selected-pods.ts';
import { AutoscalerFigures } from './figures.ts';
import { AutoscalerSync, wishChanged } from './sync.ts';

/** `--horizontal-pod-autoscaler-sync-period`, ms. Metrics cannot be watched. */
const PERIOD_MS = 15_000;

/** Starts the controller that sets the size of targets by metrics. */
export function runHorizontalPodAutoscaler(kit: ControllerKit, { autoscaler: options = {} }: StartOptions): Controller {
  const autoscalers = kit.informers.need(HORIZONTAL_POD_AUTOSCALERS);
  const pods = kit.informers.need(PODS);
  const targets = new SelectedPods(pods);
  const sync = new AutoscalerSync({
    client: kit.client,
    clock: kit.world.clock,
    events: recorderFor(kit, 'horizontal-pod-autoscaler'),
    autoscalers,
    options,
    targets,
    figures: new AutoscalerFigures(kit.figures),
  });
  const count = kit.figures.gauge({
    name: 'horizontal_pod_autoscaler_controller_num_horizontal_pod_autoscalers',
    help: 'Autoscalers that are looked after.',
  });
  kit.scope.defer(kit.figures.beforeShown(() => count.set([], autoscalers.size)));
  const controller = runController({
    name: 'horizontal-pod-autoscaler-controller',
    world: kit.world,
    scope: kit.scope,
    caches: [autoscalers, pods],
    sync: async (key, context) => {
      if (await sync.sync(key, context)) context.requeueAfter(options.periodMs ?? PERIOD_MS);
    },
  });
  kit.scope.defer(
    autoscalers.subscribe({
      add: (autoscaler) => controller.enqueue(cacheKey(autoscaler), triggerOf('ADDED', autoscaler)),
      update: (before, autoscaler) => {
        if (wishChanged(before, autoscaler))
          controller.enqueue(cacheKey(autoscaler), triggerOf('MODIFIED', autoscaler));
      },
      remove: (autoscaler) => controller.enqueue(cacheKey(autoscaler), triggerOf('DELETED', autoscaler)),
    }),
  );
  kit.scope.defer(
    pods.subscribe({
      add: (pod) => targets.movePod(undefined, pod),
      update: (before, pod) => targets.movePod(before, pod),
      remove: (pod) => targets.movePod(pod, undefined),
    }),
  );
  return controller;
}
