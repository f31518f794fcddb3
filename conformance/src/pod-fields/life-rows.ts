/** Probes, hooks, ends. */
import type { Row } from './row.ts';
import { SH, statusOf } from './scene.ts';
import type { Scene } from './scene.ts';
// Says OK to every request and writes down what it was asked.
const LISTENER = 'while :; do printf "HTTP/1.0 200 OK\\r\\n\\r\\n" | nc -l -p 8081 >> /scratch/requests; done';

function probes(): Row[] {
  const scratch = { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] };
  return [
    { pod: 'life', container: { ...SH, ...scratch }, spec: { volumes: [{ name: 'scratch', emptyDir: {} }] } },
    {
      pod: 'life',
      in: 'listener',
      container: {
        ...SH,
        ...scratch,
        args: [LISTENER],
        ports: [{ name: 'probe', containerPort: 8081 }],
        readinessProbe: {
          httpGet: {
            path: '/ready?x=1',
            port: 'probe',
            scheme: 'HTTP',
            httpHeaders: [{ name: 'X-Probe', value: 'mine' }],
          },
          initialDelaySeconds: 1,
          periodSeconds: 1,
          successThreshold: 2,
          failureThreshold: 30,
          timeoutSeconds: 2,
        },
      },
      look: {
        what: 'requests that it got: path, header, two before it was ready',
        at: async ({ pod, exec }) => {
          const text = await exec('main', 'cat /scratch/requests');
          const asked = text.split('GET /ready?x=1').length - 1;
          return asked >= 2 && /X-Probe: mine/i.test(text) && statusOf(pod, 'listener')?.ready === true;
        },
      },
    },
    {
      pod: 'life',
      in: 'dying',
      container: {
        ...SH,
        args: ['trap "" TERM; while :; do sleep 1; done'],
        startupProbe: { exec: { command: ['true'] }, periodSeconds: 1 },
        livenessProbe: {
          tcpSocket: { port: 9999, host: '127.0.0.1' },
          periodSeconds: 1,
          failureThreshold: 2,
          terminationGracePeriodSeconds: 1,
        },
      },
      look: {
        what: 'restarted within its own grace, not the pod’s',
        at: async ({ pod }) => (statusOf(pod, 'dying')?.restartCount ?? 0) >= 1,
      },
    },
    {
      pod: 'life',
      in: 'slow',
      container: { ...SH, readinessProbe: { exec: { command: ['sleep', '5'] }, timeoutSeconds: 1, periodSeconds: 2 } },
      look: {
        what: 'an event',
        at: async ({ messages }) => (await messages()).some((text) => /Readiness probe .*timed? ?out/i.test(text)),
      },
    },
  ];
}

function hooks(scene: Scene): Row[] {
  const scratch = { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] };
  const host = { volumeMounts: [{ name: 'host', mountPath: '/host' }] };
  return [
    {
      pod: 'life',
      in: 'hooked',
      container: { ...SH, ...scratch, lifecycle: { postStart: { exec: { command: ['touch', '/scratch/hooked'] } } } },
      run: 'ls /scratch/hooked',
      wanted: /hooked$/,
    },
    {
      pod: 'ends',
      spec: {
        terminationGracePeriodSeconds: 8,
        os: { name: 'linux' },
        volumes: [{ name: 'host', hostPath: { path: scene.folder } }],
      },
      container: {
        ...SH,
        ...host,
        args: ['trap "echo signalled > /host/signalled; exit 0" USR1; while :; do sleep 1 & wait $!; done'],
        lifecycle: { stopSignal: 'SIGUSR1', preStop: { exec: { command: ['touch', '/host/pre-stop'] } } },
      },
      run: 'true',
      wanted: /^$/,
    },
    {
      pod: 'ends',
      in: 'sleeper',
      container: { ...SH, lifecycle: { preStop: { sleep: { seconds: 1 } }, postStart: { sleep: { seconds: 1 } } } },
      look: {
        what: 'its start took the second that its hook sleeps',
        at: async ({ pod }) => statusOf(pod, 'sleeper')?.state?.running !== undefined,
      },
    },
    {
      pod: 'ends',
      in: 'fetcher',
      container: {
        ...SH,
        ...host,
        args: ['while :; do printf "HTTP/1.0 200 OK\\r\\n\\r\\n" | nc -l -p 8082 >> /host/asked; done'],
        lifecycle: { preStop: { httpGet: { path: '/bye', port: 8082, host: '', scheme: 'HTTP' } } },
      },
      run: 'true',
      wanted: /^$/,
    },
    {
      pod: 'deadline',
      container: SH,
      spec: { activeDeadlineSeconds: 4, terminationGracePeriodSeconds: 1 },
      look: {
        what: 'its end',
        at: async ({ pod }) => pod.status?.reason === 'DeadlineExceeded' && pod.status.phase === 'Failed',
      },
    },
  ];
}

/** All of these. */
export function lifeRows(scene: Scene): Row[] {
  return [...probes(), ...hooks(scene)];
}
