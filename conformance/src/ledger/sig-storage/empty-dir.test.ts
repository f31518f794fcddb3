import assert from 'node:assert/strict';
import { outputOf, shell } from '../objects.ts';
import { behaviours } from '../world.ts';

const DIR = '/test-volume';
const mount = { name: 'v', mountPath: DIR };

const ROWS: readonly [codename: string, user: number, mode: string, tmpfs: boolean][] = [
  [
    '[sig-storage] EmptyDir volumes should support (root,0644,tmpfs) [LinuxOnly] [NodeConformance] [Conformance]',
    0,
    '644',
    true,
  ],
  [
    '[sig-storage] EmptyDir volumes should support (root,0666,tmpfs) [LinuxOnly] [NodeConformance] [Conformance]',
    0,
    '666',
    true,
  ],
  [
    '[sig-storage] EmptyDir volumes should support (root,0777,tmpfs) [LinuxOnly] [NodeConformance] [Conformance]',
    0,
    '777',
    true,
  ],
  [
    '[sig-storage] EmptyDir volumes should support (non-root,0644,tmpfs) [LinuxOnly] [NodeConformance] [Conformance]',
    1001,
    '644',
    true,
  ],
  [
    '[sig-storage] EmptyDir volumes should support (non-root,0666,tmpfs) [LinuxOnly] [NodeConformance] [Conformance]',
    1001,
    '666',
    true,
  ],
  [
    '[sig-storage] EmptyDir volumes should support (non-root,0777,tmpfs) [LinuxOnly] [NodeConformance] [Conformance]',
    1001,
    '777',
    true,
  ],
  [
    '[sig-storage] EmptyDir volumes should support (root,0644,default) [LinuxOnly] [NodeConformance] [Conformance]',
    0,
    '644',
    false,
  ],
  [
    '[sig-storage] EmptyDir volumes should support (root,0666,default) [LinuxOnly] [NodeConformance] [Conformance]',
    0,
    '666',
    false,
  ],
  [
    '[sig-storage] EmptyDir volumes should support (root,0777,default) [LinuxOnly] [NodeConformance] [Conformance]',
    0,
    '777',
    false,
  ],
  [
    '[sig-storage] EmptyDir volumes should support (non-root,0644,default) [LinuxOnly] [NodeConformance] [Conformance]',
    1001,
    '644',
    false,
  ],
  [
    '[sig-storage] EmptyDir volumes should support (non-root,0666,default) [LinuxOnly] [NodeConformance] [Conformance]',
    1001,
    '666',
    false,
  ],
  [
    '[sig-storage] EmptyDir volumes should support (non-root,0777,default) [LinuxOnly] [NodeConformance] [Conformance]',
    1001,
    '777',
    false,
  ],
];

const volumes = (tmpfs: boolean) => [{ name: 'v', emptyDir: tmpfs ? { medium: 'Memory' } : {} }];
const fileSystem = `awk '$2 == "${DIR}" { print $3 }' /proc/mounts`;

behaviours('containers', 'empty directories', (check) => {
  for (const [codename, runAsUser, mode, tmpfs] of ROWS) {
    check(codename, async (world) => {
      const script = `echo "mount-tester new file" > ${DIR}/f && chmod ${mode} ${DIR}/f; cat ${DIR}/f; stat -c '%a %u' ${DIR}/f; ${fileSystem}`;
      const text = await outputOf(world, 'pod', {
        securityContext: { runAsUser },
        containers: [shell(script, { volumeMounts: [mount] })],
        volumes: volumes(tmpfs),
      });
      const [content, facts, type] = text.trim().split('\n');
      assert.equal(content, 'mount-tester new file');
      assert.equal(facts, `${mode} ${runAsUser}`);
      assert.equal(type === 'tmpfs', tmpfs);
    });
  }

  const modes: readonly [codename: string, tmpfs: boolean][] = [
    [
      '[sig-storage] EmptyDir volumes volume on default medium should have the correct mode [LinuxOnly] [NodeConformance] [Conformance]',
      false,
    ],
    [
      '[sig-storage] EmptyDir volumes volume on tmpfs should have the correct mode [LinuxOnly] [NodeConformance] [Conformance]',
      true,
    ],
  ];
  for (const [codename, tmpfs] of modes) {
    check(codename, async (world) => {
      const text = await outputOf(world, 'pod', {
        containers: [shell(`stat -c %a ${DIR}; ${fileSystem}`, { volumeMounts: [mount] })],
        volumes: volumes(tmpfs),
      });
      const [mode, type] = text.trim().split('\n');
      assert.equal(mode?.slice(-3), '777', 'beside a sticky bit');
      assert.equal(type === 'tmpfs', tmpfs);
    });
  }

  check(
    '[sig-storage] EmptyDir volumes pod should support shared volumes between containers [Conformance]',
    async (world) => {
      const writer = shell(`echo "Hello from the busy-box sub-container" > ${DIR}/shareddata.txt`, {
        name: 'writer',
        volumeMounts: [mount],
      });
      const reader = shell(`until [ -s ${DIR}/shareddata.txt ]; do sleep 0.1; done; cat ${DIR}/shareddata.txt`, {
        volumeMounts: [mount],
      });
      assert.equal(
        await outputOf(world, 'pod', { containers: [reader, writer], volumes: volumes(false) }),
        'Hello from the busy-box sub-container\n',
      );
    },
  );
});
