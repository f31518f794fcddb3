/** Liveness by the gRPC health protocol, asked of a server in a real container. */
import assert from 'node:assert/strict';
import { EVENTS, isPodReady, PODS } from '@binnacle/api';
import type { Pod, Probe } from '@binnacle/api/core/v1';
import { waitFor } from '@binnacle/testkit';
import { outputOf, podOf, shell, untilOne } from '../objects.ts';
import { withNode } from '../real-containers.ts';
import { behaviours } from '../world.ts';
import type { World } from '../world.ts';

/** A health server on port 5000 that serves: one message of HealthCheckResponse to whoever asks. */
const HEALTH_SERVER = `const server = require('node:http2').createServer();
  server.on('stream', (stream) => {
    stream.resume();
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.from([0, 0, 0, 0, 2, 8, 1]));
  });
  server.listen(5000);`;

behaviours('containers', 'gRPC probes', (check) => {
  const probed = (world: World, livenessProbe: Probe): Promise<Pod> =>
    world.client.resource(PODS, world.namespace).create(podOf('pod', withNode(HEALTH_SERVER, { livenessProbe })));

  check(
    '[sig-node] Probing container should *not* be restarted with a GRPC liveness probe [NodeConformance] [Conformance]',
    async (world) => {
      await probed(world, { grpc: { port: 5000 }, initialDelaySeconds: 2, periodSeconds: 1, failureThreshold: 1 });
      await untilOne(world, PODS, { name: 'pod', what: 'ready', until: isPodReady });
      await outputOf(world, 'timer', { containers: [shell('sleep 6')] });
      const pod = await world.client.resource(PODS, world.namespace).get('pod');
      assert.equal(pod.status?.containerStatuses?.[0]?.restartCount, 0);
      assert.ok(isPodReady(pod));
    },
  );

  check(
    '[sig-node] Probing container should be restarted with a GRPC liveness probe [NodeConformance] [Conformance]',
    async (world) => {
      await probed(world, { grpc: { port: 2333 }, initialDelaySeconds: 2, periodSeconds: 1, failureThreshold: 1 });
      const restarted = (pod: Pod): boolean => pod.status?.containerStatuses?.[0]?.restartCount === 1;
      await untilOne(world, PODS, { name: 'pod', what: 'restarted', deadlineMs: 60_000, until: restarted });
      const failed = 'Liveness probe failed: timeout: failed to connect service ';
      await waitFor({
        client: world.client,
        resource: EVENTS,
        namespace: world.namespace,
        what: 'the event',
        until: (all) => all.some((e) => e.reason === 'Unhealthy' && e.message?.startsWith(failed) === true),
      });
    },
  );
});
