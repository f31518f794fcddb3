/** Names, DNS, namespaces of the node, control groups of the whole pod. */
import type { Row } from './row.ts';
import { SH, condition, namespaceOf, memoryLimit } from './scene.ts';
import type { Scene } from './scene.ts';
function names(): Row[] {
  return [
    { pod: 'named', container: SH },
    {
      pod: 'named',
      spec: {
        hostname: 'h',
        subdomain: 'sub',
        setHostnameAsFQDN: true,
        hostAliases: [{ ip: '192.0.2.7', hostnames: ['a.test', 'b.test'] }],
      },
      run: 'hostname; grep 192.0.2.7 /etc/hosts',
      wanted: /^h\.sub\.default\.svc\.cluster\.local\n192\.0\.2\.7\s+a\.test\s+b\.test$/,
    },
    {
      pod: 'named',
      spec: {
        dnsPolicy: 'None',
        dnsConfig: { nameservers: ['192.0.2.53'], searches: ['here.test'], options: [{ name: 'ndots', value: '3' }] },
      },
      run: 'cat /etc/resolv.conf',
      wanted: /search here\.test\nnameserver 192\.0\.2\.53\noptions ndots:3/,
    },
    { pod: 'named', spec: { enableServiceLinks: false }, run: 'env | grep -c EXTRA_SERVICE_HOST', wanted: /^0$/ },
    {
      pod: 'named',
      spec: { shareProcessNamespace: true },
      in: 'second',
      container: SH,
      run: "tr '\\0' ' ' < /proc/1/cmdline",
      wanted: /pause|sleep 2147483/,
    },
    {
      pod: 'named',
      spec: { readinessGates: [{ conditionType: 'test.dev/gate' }] },
      look: {
        what: 'it is not Ready, though its containers are',
        at: async ({ pod }) => condition(pod, 'Ready') === 'False' && condition(pod, 'ContainersReady') === 'True',
      },
    },
    {
      pod: 'override',
      container: SH,
      spec: { hostnameOverride: 'my.own.name' },
      run: 'hostname',
      wanted: /^my\.own\.name$/,
    },
    {
      pod: 'override',
      spec: { runtimeClassName: 'heavy', overhead: { memory: '16Mi' } },
      container: { resources: { limits: { memory: '64Mi' } } },
      look: {
        what: 'the limit of its control group',
        at: async ({ pod }) => memoryLimit(pod.metadata.uid ?? '') === String(80 * 2 ** 20),
      },
    },
  ];
}

function namespaces(scene: Scene): Row[] {
  return [
    {
      pod: 'together',
      container: SH,
      spec: { resources: { limits: { memory: '96Mi' }, requests: { memory: '96Mi' } } },
      look: {
        what: 'the limit of its control group',
        at: async ({ pod }) => memoryLimit(pod.metadata.uid ?? '') === String(96 * 2 ** 20),
      },
    },
    { pod: 'host', container: SH },
    ...(['net', 'pid', 'ipc'] as const).map((kind): Row => {
      const field = { net: 'hostNetwork', pid: 'hostPID', ipc: 'hostIPC' }[kind];
      return {
        pod: 'host',
        spec: { [field]: true },
        run: `readlink /proc/self/ns/${kind}`,
        wanted: new RegExp(`^${kind}:\\[${namespaceOf(kind)}\\]$`),
      };
    }),
    { pod: 'host', spec: { hostUsers: true }, run: "awk '{print $3}' /proc/self/uid_map", wanted: /^4294967295$/ },
    {
      pod: 'host',
      in: 'asked',
      container: {
        ...SH,
        livenessProbe: { grpc: { port: scene.grpcPort, service: 'the-service' }, periodSeconds: 1 },
      },
      look: { what: 'the health server was asked', at: async () => scene.asked.includes('the-service') },
    },
  ];
}

/** All of these. */
export function networkRows(scene: Scene): Row[] {
  return [...names(), ...namespaces(scene)];
}
