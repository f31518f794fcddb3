/** Volumes of each kind, and how they are mounted. */
import type { Row } from './row.ts';
import { IMAGE } from '../manifests.ts';
import { SH } from './scene.ts';
import type { Scene } from './scene.ts';
const at = (name: string, mountPath: string, more: object = {}) => ({
  container: { volumeMounts: [{ name, mountPath, ...more }] },
});

function contents(): Row[] {
  return [
    { pod: 'volumes', container: SH },
    {
      pod: 'volumes',
      spec: {
        volumes: [
          {
            name: 'cm',
            configMap: {
              name: 'settings',
              items: [{ key: 'colour', path: 'c/d', mode: 0o440 }],
              defaultMode: 0o400,
              optional: false,
            },
          },
        ],
      },
      ...at('cm', '/cm'),
      run: 'cat /cm/c/d; stat -L -c " %a" /cm/c/d',
      wanted: /^green 440$/,
    },
    {
      pod: 'volumes',
      spec: {
        volumes: [
          {
            name: 'secret',
            secret: { secretName: 'secrets', items: [{ key: 'word', path: 'w' }], defaultMode: 0o400, optional: true },
          },
        ],
      },
      ...at('secret', '/secret', { readOnly: true, recursiveReadOnly: 'Disabled' }),
      run: 'cat /secret/w; stat -L -c " %a" /secret/w',
      wanted: /^hush 400$/,
    },
    {
      pod: 'volumes',
      labels: { tier: 'front' },
      spec: {
        volumes: [
          {
            name: 'me',
            downwardAPI: {
              items: [
                { path: 'tier', fieldRef: { apiVersion: 'v1', fieldPath: "metadata.labels['tier']" }, mode: 0o444 },
                {
                  path: 'memory',
                  resourceFieldRef: { containerName: 'main', resource: 'limits.memory', divisor: '1Mi' },
                },
              ],
              defaultMode: 0o400,
            },
          },
        ],
      },
      container: { resources: { limits: { memory: '64Mi' } }, volumeMounts: [{ name: 'me', mountPath: '/me' }] },
      run: 'cat /me/tier /me/memory; stat -L -c " %a" /me/tier /me/memory | tr "\\n" " "',
      wanted: /^front64 444 {2}400$/,
    },
  ];
}

function folders(scene: Scene): Row[] {
  return [
    {
      pod: 'volumes',
      spec: {
        volumes: [
          {
            name: 'all',
            projected: {
              defaultMode: 0o444,
              sources: [
                { configMap: { name: 'settings', items: [{ key: 'colour', path: 'colour' }], optional: false } },
                { secret: { name: 'secrets', items: [{ key: 'word', path: 'word' }], optional: false } },
                { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
                { serviceAccountToken: { audience: 'vault', expirationSeconds: 3600, path: 'token' } },
              ],
            },
          },
        ],
      },
      ...at('all', '/all'),
      run: 'cat /all/colour /all/word /all/name; cut -d. -f2 /all/token | tr "_-" "/+" | base64 -d 2>/dev/null | grep -o "\\"vault\\""',
      wanted: /^greenhushvolumes"vault"$/,
    },
    {
      pod: 'volumes',
      spec: { volumes: [{ name: 'ram', emptyDir: { medium: 'Memory', sizeLimit: '4Mi' } }] },
      ...at('ram', '/ram'),
      run: "df -k /ram | tail -1 | awk '{print $1, $2}'",
      wanted: /^tmpfs 4096$/,
    },
    {
      pod: 'volumes',
      spec: { volumes: [{ name: 'host', hostPath: { path: scene.folder, type: 'Directory' } }] },
      ...at('host', '/host'),
      run: 'echo written > /host/by-a-pod; ls /host',
      wanted: /by-a-pod/,
    },
    {
      pod: 'volumes',
      spec: { volumes: [{ name: 'claim', persistentVolumeClaim: { claimName: 'data', readOnly: true } }] },
      ...at('claim', '/claim'),
      run: 'touch /claim/x 2>&1',
      wanted: /Read-only file system/,
    },
  ];
}

function claims(scene: Scene): Row[] {
  return [
    {
      pod: 'volumes',
      spec: {
        volumes: [
          {
            name: 'own',
            ephemeral: {
              volumeClaimTemplate: {
                metadata: {},
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
              },
            },
          },
        ],
      },
      ...at('own', '/own'),
      run: 'touch /own/x && ls /own',
      wanted: /^x$/,
    },
    {
      pod: 'volumes',
      spec: { volumes: [{ name: 'files', image: { reference: IMAGE, pullPolicy: 'Never' } }] },
      ...at('files', '/files'),
      run: 'ls /files/bin/busybox; touch /files/x 2>&1',
      wanted: /^\/files\/bin\/busybox\n.*Read-only/s,
    },
    {
      pod: 'volumes',
      spec: {
        volumes: [
          {
            name: 'driven',
            csi: {
              driver: scene.driver.name,
              readOnly: true,
              fsType: 'ext4',
              volumeAttributes: { size: 's' },
              nodePublishSecretRef: { name: 'secrets' },
            },
          },
        ],
      },
      ...at('driven', '/driven'),
      look: {
        what: 'what the driver was asked',
        at: async () => {
          const text = JSON.stringify(scene.driver.calls.find(({ method }) => method === 'NodePublishVolume')?.request);
          return ['"readonly":true', '"fs_type":"ext4"', '"size":"s"', '"word":"hush"'].every((part) =>
            text.includes(part),
          );
        },
      },
    },
    {
      pod: 'volumes',
      spec: { volumes: [{ name: 'disk', persistentVolumeClaim: { claimName: 'disk' } }] },
      container: { volumeDevices: [{ name: 'disk', devicePath: '/dev/xvda' }] },
      run: 'test -b /dev/xvda && echo device',
      wanted: /^device$/,
    },
  ];
}

function drivers(): Row[] {
  return [
    {
      pod: 'volumes',
      spec: { volumes: [{ name: 'parts', emptyDir: {} }] },
      container: {
        env: [{ name: 'PART', value: 'two' }],
        volumeMounts: [
          { name: 'parts', mountPath: '/one', subPath: 'one' },
          { name: 'parts', mountPath: '/two', subPathExpr: '$(PART)' },
          { name: 'parts', mountPath: '/parts' },
        ],
      },
      run: 'touch /one/a /two/b; ls /parts/one /parts/two | tr "\\n" " "',
      wanted: /^\/parts\/one: a {2}\/parts\/two: b$/,
    },
  ];
}

/** All of these. */
export function volumesRows(scene: Scene): Row[] {
  return [...contents(), ...folders(scene), ...claims(scene), ...drivers()];
}
