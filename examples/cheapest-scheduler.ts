/**
 * A scheduler of one's own: pods go to the cheapest node that fits, and never to one under maintenance.
 * All default plugins still hold. Run it with `node cheapest-scheduler.ts KUBECONFIG`.
 */
import { createScheduler, scaleScores } from 'binnacle/scheduler';
import type { PluginFactory, Refusal } from 'binnacle/scheduler';

const MAINTENANCE: Refusal = {
  plugin: 'Cheapest',
  reasons: ['node(s) were under maintenance'],
  unresolvable: true,
};

const cheapest: PluginFactory = {
  name: 'Cheapest',
  create: () => ({
    name: 'Cheapest',
    // Which events make a pod worth another try that this plugin refused.
    wakesOn: [{ resource: 'nodes', actions: ['add', 'update'] }],
    filter:
      (_pod, { nodes }) =>
      (slot) => {
        const labels = nodes.nodes[slot]?.metadata.labels ?? {};
        return labels['example.com/maintenance'] === 'true' ? MAINTENANCE : undefined;
      },
    score:
      (_pod, { nodes }) =>
      (slot) =>
        Number(nodes.nodes[slot]?.metadata.labels?.['example.com/price'] ?? 100),
    // The lowest price is the best score.
    normalizeScore: (scores, length) => scaleScores(scores, length, true),
  }),
};

const scheduler = await createScheduler({
  kubeconfig: process.argv[2] ?? '',
  schedulerName: 'cheapest',
  plugins: [{ factory: cheapest, weight: 100 }],
});
process.stdout.write('scheduling pods with schedulerName: cheapest\n');
process.once('SIGTERM', () => void scheduler.stop());
