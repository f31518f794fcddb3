import { VirtualClock, createSeededRandom } from '@binnacle/base';
import { createSimulatedNode } from './simulated.ts';
import { runtimeContract } from './testing.ts';

const DOMAIN = 'simulated.binnacle.dev';

runtimeContract('simulated', async () => {
  const clock = new VirtualClock();
  const logs = new Map<string, string>();
  const node = createSimulatedNode({
    clock,
    random: createSeededRandom(7),
    podRange: '10.244.7.0/24',
    appendLog: (path, text) => void logs.set(path, (logs.get(path) ?? '') + text),
  });
  return {
    connect: async () => node.connect(),
    image: 'busybox:1.35',
    spareImage: 'spare:1',
    absentImage: { name: 'nowhere:1', command: [], podAnnotations: { [`${DOMAIN}/pull-failure`]: 'no such image' } },
    obedient: { command: ['run'], podAnnotations: { [`${DOMAIN}/stop-delay`]: '100ms' } },
    stubborn: { command: ['run'], podAnnotations: { [`${DOMAIN}/ignore-stop`]: 'true' } },
    exits: (code) => ({
      command: ['run'],
      podAnnotations: {
        [`${DOMAIN}/exit-after`]: '200ms',
        [`${DOMAIN}/exit-code`]: String(code),
        [`main.${DOMAIN}/log`]: 'hello',
      },
    }),
    serving: { command: ['run'], podAnnotations: { [`${DOMAIN}/http-port`]: '8080' } },
    elapse: (ms) => clock.advance(ms),
    cgroupParent: (uid) => `/kubepods/pod${uid}`,
    logDirectory: (uid) => `/logs/${uid}`,
    readLog: async (path) => logs.get(path) ?? '',
    close: async () => node.powerOff(),
  };
});
