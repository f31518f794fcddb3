/** Users, capabilities, profiles, mounts that go out. */
import type { Row } from './row.ts';
import { SH, statusOf } from './scene.ts';
function users(): Row[] {
  return [
    { pod: 'user', container: SH },
    {
      pod: 'user',
      spec: {
        securityContext: {
          runAsUser: 1000,
          runAsGroup: 2000,
          runAsNonRoot: true,
          fsGroup: 3000,
          supplementalGroups: [4000],
          supplementalGroupsPolicy: 'Merge',
        },
        volumes: [{ name: 'scratch', emptyDir: {} }],
      },
      container: { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] },
      run: 'echo $(id -u) $(id -G) $(stat -c %g /scratch)',
      wanted: /^1000 2000 (3000 4000|4000 3000) 3000$/,
    },
    {
      pod: 'user',
      spec: { securityContext: { sysctls: [{ name: 'net.ipv4.ip_local_port_range', value: '40000 40999' }] } },
      run: 'cat /proc/sys/net/ipv4/ip_local_port_range',
      wanted: /^40000\s40999$/,
    },
    {
      pod: 'user',
      spec: { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } },
      run: 'grep Seccomp: /proc/1/status',
      wanted: /2$/,
    },
    {
      pod: 'user',
      spec: {
        securityContext: {
          appArmorProfile: { type: 'Unconfined' },
          seLinuxOptions: { user: 'u', role: 'r', type: 't', level: 's0' },
        },
      },
      run: 'cat /proc/1/attr/current 2>/dev/null || echo unconfined',
      wanted: /^(|unconfined.*|u:r:t:s0)$/,
    },
    {
      pod: 'user',
      in: 'other',
      container: {
        ...SH,
        securityContext: {
          runAsUser: 1001,
          runAsGroup: 2001,
          runAsNonRoot: true,
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] },
        },
      },
      run: 'echo $(id -u):$(id -g); touch /x 2>&1; grep -E "NoNewPrivs|CapBnd" /proc/1/status | tr "\\n\\t" "  "',
      wanted: /^1001:2001\n.*Read-only.*\n(NoNewPrivs: 1 CapBnd: 0+400|CapBnd: 0+400 NoNewPrivs: 1)$/s,
    },
  ];
}

function containers(): Row[] {
  return [
    {
      pod: 'user',
      in: 'filtered',
      container: {
        ...SH,
        securityContext: { seccompProfile: { type: 'Localhost', localhostProfile: 'no-mkdir.json' } },
      },
      run: 'mkdir /tmp/x 2>&1',
      wanted: /Operation not permitted/,
    },
    {
      pod: 'user',
      in: 'labelled',
      container: {
        ...SH,
        securityContext: {
          procMount: 'Default',
          privileged: false,
          appArmorProfile: { type: 'Unconfined' },
          seLinuxOptions: { user: 'u', role: 'r', type: 't', level: 's0' },
        },
      },
      run: 'ls /sys/firmware | wc -l',
      wanted: /^0$/,
    },
    {
      pod: 'rooted',
      in: 'rooted',
      container: { ...SH, securityContext: { runAsNonRoot: true, runAsUser: 0 } },
      look: {
        what: 'root is refused',
        at: async ({ pod }) => statusOf(pod, 'rooted')?.state?.waiting?.reason === 'CreateContainerConfigError',
      },
    },
    { pod: 'power', container: SH },
    {
      pod: 'power',
      container: {
        securityContext: { privileged: true },
        volumeMounts: [{ name: 'shared', mountPath: '/shared', mountPropagation: 'Bidirectional' }],
      },
      spec: { volumes: [{ name: 'shared', emptyDir: {} }] },
      in: 'main',
      run: 'mkdir -p /shared/m; grep -q /shared/m /proc/mounts || mount -t tmpfs -o size=64k tmpfs /shared/m; touch /shared/m/in; ls /shared/m',
      wanted: /^in$/,
    },
    {
      pod: 'power',
      in: 'watcher',
      container: {
        ...SH,
        volumeMounts: [{ name: 'shared', mountPath: '/shared', mountPropagation: 'HostToContainer' }],
      },
      run: 'ls /shared/m; grep -c /shared/m /proc/mounts',
      wanted: /^in\n1$/,
    },
  ];
}

/** All of these. */
export function securityRows(): Row[] {
  return [...users(), ...containers()];
}
