/** Commands, environment, resources, ends. */
import type { Row } from './row.ts';
import { fetchPage } from '@binnacle/testkit';
import { IMAGE } from '../manifests.ts';
import { SH, FOREVER, statusOf } from './scene.ts';
import type { Scene } from './scene.ts';
function commands(scene: Scene): Row[] {
  return [
    { pod: 'plain', container: SH, run: "tr '\\0' ' ' < /proc/1/cmdline", wanted: /^sh -c trap/ },
    {
      pod: 'plain',
      spec: { nodeName: scene.nodeName, restartPolicy: 'Always', os: { name: 'linux' } },
      run: 'true',
      wanted: /^$/,
    },
    { pod: 'plain', container: { workingDir: '/tmp' }, run: 'pwd', wanted: /^\/tmp$/ },
    {
      pod: 'plain',
      container: {
        env: [
          { name: 'A', value: 'x' },
          { name: 'B', value: '$(A)y' },
        ],
      },
      run: 'echo $B',
      wanted: /^xy$/,
    },
    {
      pod: 'plain',
      container: {
        env: [
          { name: 'NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
          { name: 'ACCOUNT', valueFrom: { fieldRef: { fieldPath: 'spec.serviceAccountName' } } },
          {
            name: 'CPU',
            valueFrom: { resourceFieldRef: { containerName: 'main', resource: 'limits.cpu', divisor: '1m' } },
          },
          { name: 'SET', valueFrom: { configMapKeyRef: { name: 'settings', key: 'colour', optional: false } } },
          { name: 'SECRET', valueFrom: { secretKeyRef: { name: 'secrets', key: 'word', optional: false } } },
          { name: 'NONE', valueFrom: { configMapKeyRef: { name: 'none', key: 'none', optional: true } } },
        ],
      },
      spec: { serviceAccountName: 'robot', serviceAccount: 'robot' },
      run: 'echo $NAME $ACCOUNT $CPU $SET $SECRET ${NONE-nothing}',
      wanted: /^plain robot 400 green hush nothing$/,
    },
    {
      pod: 'plain',
      container: {
        envFrom: [
          { prefix: 'P_', configMapRef: { name: 'settings', optional: false } },
          { secretRef: { name: 'secrets', optional: true } },
        ],
      },
      run: 'echo $P_colour $word',
      wanted: /^green hush$/,
    },
    {
      pod: 'plain',
      container: { resources: { limits: { cpu: '400m', memory: '64Mi' }, requests: { cpu: '200m', memory: '32Mi' } } },
      run: 'cat /sys/fs/cgroup/cpu/cpu.shares /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/memory/memory.limit_in_bytes | tr "\\n" " "',
      wanted: /^204 40000 67108864$/,
    },
  ];
}

/** A file that one container writes and another takes its environment from. */
function written(): Row[] {
  return [
    {
      pod: 'plain',
      spec: {
        volumes: [{ name: 'written', emptyDir: {} }],
        initContainers: [
          {
            name: 'writer',
            image: IMAGE,
            command: ['sh', '-c', `echo "WORD='two words' # said" > /written/env`],
            volumeMounts: [{ name: 'written', mountPath: '/written' }],
          },
        ],
      },
      container: {
        env: [
          {
            name: 'WRITTEN',
            valueFrom: { fileKeyRef: { volumeName: 'written', path: 'env', key: 'WORD', optional: false } },
          },
        ],
      },
      run: 'echo $WRITTEN',
      wanted: /^two words$/,
    },
  ];
}

function values(scene: Scene): Row[] {
  return [
    {
      pod: 'plain',
      in: 'web',
      container: {
        ...SH,
        args: ['echo page > /tmp/index.html; exec httpd -f -p 8080 -h /tmp'],
        ports: [{ name: 'web', containerPort: 8080, protocol: 'TCP', hostPort: scene.hostPort, hostIP: '127.0.0.1' }],
      },
      look: {
        what: 'the host port answers',
        at: async () => (await fetchPage('127.0.0.1', '/index.html', scene.hostPort)).body === 'page\n',
      },
    },
    {
      pod: 'plain',
      in: 'terminal',
      container: { ...SH, tty: true, stdin: true },
      run: 'readlink /proc/1/fd/0 | cut -d/ -f1-3',
      wanted: /^\/dev\/(pts|console)$/,
    },
    {
      pod: 'plain',
      in: 'once',
      container: { ...SH, command: ['cat'], args: [], stdin: true, stdinOnce: true },
      look: {
        what: 'it waits for input: without stdin it would be done',
        at: async ({ pod }) =>
          statusOf(pod, 'once')?.state?.running !== undefined && statusOf(pod, 'once')?.restartCount === 0,
      },
    },
    {
      pod: 'plain',
      in: 'again',
      container: {
        ...SH,
        args: [`test -f /scratch/once || { touch /scratch/once; exit 42; }; ${FOREVER}`],
        restartPolicy: 'Never',
        restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
        volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
      },
      spec: { volumes: [{ name: 'scratch', emptyDir: {} }] },
      look: {
        what: 'exit code 42 started it again, though its policy is Never',
        at: async ({ pod }) =>
          statusOf(pod, 'again')?.restartCount === 1 && statusOf(pod, 'again')?.state?.running !== undefined,
      },
    },
  ];
}

function resources(): Row[] {
  return [
    {
      pod: 'plain',
      in: 'last-words',
      container: {
        ...SH,
        args: ['echo from the file > /my-log; exit 3'],
        restartPolicy: 'Never',
        terminationMessagePath: '/my-log',
        terminationMessagePolicy: 'File',
      },
      look: {
        what: 'the message of its end',
        at: async ({ pod }) => statusOf(pod, 'last-words')?.state?.terminated?.message === 'from the file\n',
      },
    },
    {
      pod: 'plain',
      in: 'logged-words',
      container: {
        ...SH,
        args: ['echo from the log; exit 3'],
        restartPolicy: 'Never',
        terminationMessagePolicy: 'FallbackToLogsOnError',
      },
      look: {
        what: 'the message of its end',
        at: async ({ pod }) => statusOf(pod, 'logged-words')?.state?.terminated?.message === 'from the log\n',
      },
    },
    {
      pod: 'plain',
      in: 'resized',
      container: {
        ...SH,
        resources: { requests: { cpu: '100m' } },
        resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
      },
      look: {
        what: 'its status says what it was given',
        at: async ({ pod }) => statusOf(pod, 'resized')?.resources?.requests?.['cpu'] === '100m',
      },
    },
    {
      pod: 'plain',
      spec: {
        initContainers: [
          {
            ...SH,
            name: 'first',
            args: ['echo made > /scratch/made'],
            volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
          },
          { ...SH, name: 'beside', restartPolicy: 'Always' },
        ],
      },
      container: { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] },
      run: 'cat /scratch/made',
      wanted: /^made$/,
    },
  ];
}

/** All of these. */
export function processRows(scene: Scene): Row[] {
  return [...commands(scene), ...written(), ...values(scene), ...resources()];
}
