import { NODES, wellknown } from '@binnacle/api';
import type { Node } from '@binnacle/api/core/v1';
import { status } from '@binnacle/machinery';
import { runController, sameTrigger, triggerOf } from '@binnacle/reconcile';
import type { Controller } from '@binnacle/reconcile';
import type { ControllerKit } from '../controller-kit.ts';
import { secondsOn, stepFor } from './boundaries.ts';

/** Nodes come many at once: their number is looked at when it has settled, ms. */
const SETTLE_MS = 1_000;

/** Starts the controller that tells kubelets how long they may keep what they asked for. */
export function runTtlController(kit: ControllerKit): Controller {
  const nodes = kit.informers.need(NODES);
  let step = 0;
  const isRight = ({ metadata }: Node): boolean =>
    metadata.annotations?.[wellknown.ANNOTATION_NODE_TTL] === String(secondsOn(step));
  const controller = runController({
    name: 'ttl-controller',
    world: kit.world,
    scope: kit.scope,
    caches: [nodes],
    sync: async (key, context) => {
      const now = stepFor(nodes.size, step);
      if (now !== step) {
        step = now;
        for (const node of nodes.list()) controller.enqueue(node.metadata.name ?? '', sameTrigger(context));
      }
      const node = nodes.get(key);
      if (node === undefined || isRight(node)) return;
      const annotations = { [wellknown.ANNOTATION_NODE_TTL]: String(secondsOn(step)) };
      try {
        await kit.client.resource(NODES).patch(key, 'merge', { metadata: { annotations } }, undefined, context);
      } catch (error) {
        if (!status.isNotFound(error)) throw error;
      }
    },
  });
  const follow = (event: string, node: Node): void => {
    controller.enqueueAfter(node.metadata.name ?? '', SETTLE_MS, triggerOf(event, node));
  };
  kit.scope.defer(
    nodes.subscribe({
      add: (node) => follow('ADDED', node),
      update: (_before, node) => {
        if (!isRight(node)) follow('MODIFIED', node);
      },
      remove: (node) => follow('DELETED', node),
    }),
  );
  return controller;
}
