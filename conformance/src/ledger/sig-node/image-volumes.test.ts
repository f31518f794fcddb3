/** The files of an image as a volume, pulled anew from a registry. */
import assert from 'node:assert/strict';
import { PODS } from '@binnacle/api';
import { makeFolder, runBinnacle, serveImages } from '@binnacle/testkit';
import { podOf, runPod, shell, untilOne } from '../objects.ts';
import { exec, FOREVER } from '../real-containers.ts';
import { behaviours } from '../world.ts';

behaviours('containers', 'image volumes', (check) => {
  check(
    '[sig-node] ImageVolume should succeed with pod and pull policy of Always [LinuxOnly] [MinimumKubeletVersion:1.35] [Conformance]',
    async (world) => {
      const folder = makeFolder();
      const archive = `${folder.path}/data.tar`;
      // Another one than the node has: an image that was pulled has to be pulled by its other names too (KEP-2535).
      await runBinnacle(['image', 'build-example', archive, '--ref', 'data:1', '--entrypoint', 'cat']);
      const registry = await serveImages({ 'test/data': archive });
      try {
        const image = { reference: `${registry.address}/test/data:1`, pullPolicy: 'Always' as const };
        const volumeMounts = [{ name: 'data', mountPath: '/volume' }];
        await runPod(world, 'pod', {
          containers: [shell(FOREVER, { volumeMounts })],
          volumes: [{ name: 'data', image }],
        });
        assert.match(await exec(world, 'pod', ['cat', '/volume/www/index.html']), /It runs\./);
        await assert.rejects(exec(world, 'pod', ['touch', '/volume/file']), /Read-only file system/);
        assert.ok(registry.asked.some((path) => path.startsWith('/v2/test/data/manifests/')));
        await world.client.resource(PODS, world.namespace).delete('pod', { gracePeriodSeconds: 1 });
        await untilOne(world, PODS, { name: 'pod', what: 'gone' });
        // What was mounted for the first is no hindrance for the next of the same image.
        const again = podOf('again', {
          containers: [shell(FOREVER, { volumeMounts })],
          volumes: [{ name: 'data', image }],
        });
        await runPod(world, 'again', again.spec);
      } finally {
        await registry.close();
        folder.remove();
      }
    },
  );
});
