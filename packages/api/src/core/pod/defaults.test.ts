import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Draft } from '../../draft.ts';
import type { Pod, PodSpec } from '../../generated/core-v1.ts';
import { defaultPod, defaultPodTemplate } from './defaults.ts';

function defaulted(spec: object): Draft<PodSpec> {
  const pod = { metadata: { name: 'a' }, spec: structuredClone(spec) } as Draft<Pod>;
  defaultPod(pod);
  return pod.spec as Draft<PodSpec>;
}

const one = (container: object): object => ({ containers: [{ name: 'c', image: 'busybox:1', ...container }] });

// Values: upstream pkg/apis/core/v1/defaults.go and zz_generated.defaults.go.
describe('defaults of a pod', () => {
  it('fills an empty spec', () => {
    assert.deepEqual(defaulted({ containers: [] }), {
      containers: [],
      dnsPolicy: 'ClusterFirst',
      enableServiceLinks: true,
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
    });
  });

  it('keeps what is set', () => {
    const spec = defaulted({
      containers: [],
      dnsPolicy: 'None',
      enableServiceLinks: false,
      restartPolicy: 'Never',
      schedulerName: 'mine',
      terminationGracePeriodSeconds: 0,
    });
    assert.deepEqual(
      [spec.dnsPolicy, spec.enableServiceLinks, spec.restartPolicy, spec.schedulerName],
      ['None', false, 'Never', 'mine'],
    );
    assert.equal(spec.terminationGracePeriodSeconds, 0);
  });

  it('leaves service links and requests of a template alone', () => {
    const template = { spec: one({ resources: { limits: { cpu: '1' } } }) } as Parameters<typeof defaultPodTemplate>[0];
    defaultPodTemplate(template);
    assert.equal(template?.spec?.enableServiceLinks, undefined);
    assert.equal(template?.spec?.containers[0]?.resources?.requests, undefined);
    assert.equal(template?.spec?.containers[0]?.terminationMessagePolicy, 'File');
  });

  it('makes container ports host ports on the host network', () => {
    const spec = defaulted({ hostNetwork: true, ...one({ ports: [{ containerPort: 80 }] }) });
    assert.deepEqual(spec.containers[0]?.ports, [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }]);
  });

  const ips: [name: string, status: object, expected: object][] = [
    ['only the old field', { podIP: '1.1.1.1' }, { podIP: '1.1.1.1', podIPs: [{ ip: '1.1.1.1' }] }],
    ['only the list', { podIPs: [{ ip: '1.1.1.1' }] }, { podIP: '1.1.1.1', podIPs: [{ ip: '1.1.1.1' }] }],
    [
      'the old field wins',
      { podIP: '2.2.2.2', podIPs: [{ ip: '1.1.1.1' }] },
      { podIP: '2.2.2.2', podIPs: [{ ip: '2.2.2.2' }] },
    ],
  ];
  for (const [name, status, expected] of ips) {
    it(`addresses: ${name}`, () => {
      const pod = { metadata: {}, spec: { containers: [] }, status: structuredClone(status) } as Draft<Pod>;
      defaultPod(pod);
      assert.deepEqual(pod.status, expected);
    });
  }

  it('drops the annotations of init containers', () => {
    const annotations = { 'pod.beta.kubernetes.io/init-containers': '[]', a: 'b' };
    const pod = { metadata: { annotations }, spec: { containers: [] } } as Draft<Pod>;
    defaultPod(pod);
    assert.deepEqual(pod.metadata.annotations, { a: 'b' });
  });

  const aliases: [name: string, given: object, expected: string | undefined][] = [
    ['old name only', { serviceAccount: 'a' }, 'a'],
    ['new name only', { serviceAccountName: 'b' }, 'b'],
    ['new name wins', { serviceAccount: 'a', serviceAccountName: 'b' }, 'b'],
    ['none', {}, undefined],
  ];
  for (const [name, given, expected] of aliases) {
    it(`service account: ${name}`, () => {
      const spec = defaulted({ containers: [], ...given });
      assert.deepEqual([spec.serviceAccount, spec.serviceAccountName], [expected, expected]);
    });
  }

  const volumes: [name: string, given: object, expected: object][] = [
    ['no source is emptyDir', {}, { emptyDir: {} }],
    ['configMap', { configMap: { name: 'a' } }, { configMap: { name: 'a', defaultMode: 420 } }],
    ['secret', { secret: { secretName: 'a', defaultMode: 256 } }, { secret: { secretName: 'a', defaultMode: 256 } }],
    ['hostPath', { hostPath: { path: '/a' } }, { hostPath: { path: '/a', type: '' } }],
    [
      'projected',
      {
        projected: {
          sources: [
            { serviceAccountToken: { path: 't' } },
            { downwardAPI: { items: [{ path: 'p', fieldRef: { fieldPath: 'f' } }] } },
          ],
        },
      },
      {
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { path: 't', expirationSeconds: 3600 } },
            { downwardAPI: { items: [{ path: 'p', fieldRef: { apiVersion: 'v1', fieldPath: 'f' } }] } },
          ],
        },
      },
    ],
    ['image', { image: { reference: 'a' } }, { image: { reference: 'a', pullPolicy: 'Always' } }],
    [
      'ephemeral',
      { ephemeral: { volumeClaimTemplate: { spec: {} } } },
      { ephemeral: { volumeClaimTemplate: { spec: { volumeMode: 'Filesystem' } } } },
    ],
  ];
  for (const [name, given, expected] of volumes) {
    it(`volume: ${name}`, () => {
      const spec = defaulted({ containers: [], volumes: [{ name: 'v', ...given }] });
      assert.deepEqual(spec.volumes, [{ name: 'v', ...expected }]);
    });
  }
});
