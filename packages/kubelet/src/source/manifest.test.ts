import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManifestError } from '../errors.ts';
import { readManifest, readManifests } from './manifest.ts';

const read = (text: string, file = '/m/web.yaml'): ReturnType<typeof readManifest> =>
  readManifest({ file, text, nodeName: 'Node-1'.toLowerCase(), now: 0 });
const YAML =
  'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - name: c\n    image: busybox\n';

test('a manifest becomes a pod of the node, defaulted', () => {
  const pod = read(YAML);
  assert.equal(pod.metadata.name, 'web-node-1');
  assert.equal(pod.metadata.namespace, 'default');
  assert.match(pod.metadata.uid ?? '', /^[0-9a-f]{32}$/);
  assert.deepEqual(pod.metadata.annotations, {
    'kubernetes.io/config.hash': pod.metadata.uid,
    'kubernetes.io/config.seen': '1970-01-01T00:00:00.000000000Z',
    'kubernetes.io/config.source': 'file',
  });
  assert.deepEqual(pod.spec.tolerations, [{ operator: 'Exists', effect: 'NoExecute' }]);
  assert.deepEqual(
    [pod.spec.nodeName, pod.spec.restartPolicy, pod.spec.containers[0]?.imagePullPolicy],
    ['node-1', 'Always', 'Always'],
  );
});

test('the UID is of the node, the file and the content', () => {
  const uid = read(YAML).metadata.uid;
  assert.equal(read(YAML).metadata.uid, uid);
  assert.notEqual(read(YAML, '/m/other.yaml').metadata.uid, uid);
  assert.notEqual(read(YAML.replace('busybox', 'busybox:2')).metadata.uid, uid);
});

test('JSON is as good', () => {
  const json = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'kube-system' },
    spec: { containers: [{ name: 'c', image: 'x' }] },
  });
  assert.equal(read(json).metadata.namespace, 'kube-system');
});

const refused: readonly [string, string, RegExp][] = [
  ['no YAML', 'a: [', /no YAML or JSON/],
  ['empty', '', /no YAML or JSON|no object in it/],
  ['another kind', 'apiVersion: v1\nkind: Service\n', /a v1 Pod is wanted, this is v1 Service/],
  ['no containers', 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {}\n', /spec\.containers: Required value/],
  ['a wrong type', YAML.replace('image: busybox', 'image: [1]'), /image/],
  ['a Secret', `${YAML}    envFrom: [{secretRef: {name: s}}]\n`, /static pods may not reference secrets/],
  [
    'a ConfigMap volume',
    `${YAML}  volumes: [{name: v, configMap: {name: c}}]\n`,
    /static pods may not reference configmaps/,
  ],
  [
    'a driver of the API',
    `${YAML}  volumes: [{name: v, csi: {driver: d.example}}]\n`,
    /static pods may not reference csidrivers \(via CSI volumes\)/,
  ],
  ['a ServiceAccount', `${YAML}  serviceAccountName: x\n`, /static pods may not reference serviceaccounts/],
];

for (const [name, text, message] of refused) {
  test(`manifest refused: ${name}`, () =>
    assert.throws(
      () => read(text),
      (error) => error instanceof ManifestError && message.test(error.message),
    ));
}

const pod = (name: string): object => ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'x' }] } });
const whole = { apiVersion: 'v1', kind: 'Pod', ...pod('a') };
const lists: readonly [string, unknown, readonly string[] | RegExp][] = [
  ['one pod', whole, ['a-n']],
  ['no pods', { apiVersion: 'v1', kind: 'PodList' }, []],
  [
    'two, and one more of a name',
    { apiVersion: 'v1', kind: 'PodList', items: [pod('a'), pod('b'), pod('a')] },
    ['a-n', 'b-n'],
  ],
  [
    'what calls itself something else',
    { apiVersion: 'v1', kind: 'PodList', items: [{ ...pod('a'), kind: 'Node' }] },
    ['a-n'],
  ],
  [
    'a bad one among them',
    { apiVersion: 'v1', kind: 'PodList', items: [pod('a'), pod('-')] },
    /metadata\.name: Invalid value/,
  ],
  ['nothing among them', { apiVersion: 'v1', kind: 'PodList', items: [null] }, /items\[0\]: no object/],
  ['no list', { apiVersion: 'v1', kind: 'PodList', items: {} }, /items: no list/],
  ['too many', { apiVersion: 'v1', kind: 'PodList', items: Array(1_001).fill(pod('a')) }, /more than 1000 pods/],
  ['a list of anything', { apiVersion: 'v1', kind: 'List', items: [whole] }, /a v1 Pod or PodList is wanted/],
];

for (const [name, raw, wanted] of lists)
  test(`manifests of a server: ${name}`, () => {
    const all = (): readonly (string | undefined)[] =>
      readManifests({ file: 'http://a/', text: JSON.stringify(raw), nodeName: 'n', now: 0, source: 'http' }).map(
        ({ metadata }) => metadata.name,
      );
    if (wanted instanceof RegExp) assert.throws(all, wanted);
    else assert.deepEqual(all(), wanted);
  });

for (const uid of ['..', '.', '../../etc', 'a/b', '/', 'a'.repeat(129)]) {
  test(`a uid that is no name of a folder is refused: ${uid.slice(0, 9)}`, () => {
    const text = YAML.replace('  name: web', `  name: web\n  uid: ${JSON.stringify(uid)}`);
    assert.throws(() => read(text), ManifestError);
  });
}

test('a uid of the manifest is taken as it is', () => {
  const uid = '0b1c-9a';
  assert.equal(read(YAML.replace('  name: web', `  name: web\n  uid: ${uid}`)).metadata.uid, uid);
});
