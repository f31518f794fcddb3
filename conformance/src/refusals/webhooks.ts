/** Admission webhooks, before and behind which kubectl stands. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { startTlsServer } from '@binnacle/testkit';
import type { TlsServer } from '@binnacle/testkit';
import { configMapOf } from './objects.ts';
import type { Begin, Scene, Stories } from './scene.ts';

/** What is answered under each path. */
const ANSWERS: { readonly [path: string]: object } = {
  '/deny': { allowed: false, status: { message: 'not on a Friday' } },
  '/forbid': { allowed: false, status: { code: 403, reason: 'Forbidden', message: 'not you' } },
  '/silent': { allowed: false },
  '/warn': { allowed: true, warnings: ['this map is on its way out'] },
  '/mark': {
    allowed: true,
    patchType: 'JSONPatch',
    patch: patchOf([{ op: 'add', path: '/data', value: { by: 'hook' } }]),
  },
};

function patchOf(patch: object): string {
  return Buffer.from(JSON.stringify(patch)).toString('base64');
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const review = JSON.parse(await text(request)) as { readonly request: { readonly uid: string } };
  const [path = ''] = (request.url ?? '').split('?');
  const said = { uid: review.request.uid, ...ANSWERS[path] };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: said }));
}

interface Hooks {
  readonly scene: Scene;
  /** A configuration of one webhook of the scene's ConfigMaps, under a path of the server, until it counts. */
  readonly hook: (kind: 'Validating' | 'Mutating', path: string, more?: object) => Promise<void>;
}

/** Lends a server of webhooks, known as Service `hook` of the story's namespace. */
async function withHooks(begin: Begin, name: string, body: (hooks: Hooks) => Promise<void>): Promise<void> {
  const scene = await begin(name);
  const { namespace } = scene;
  const server: TlsServer = await startTlsServer(`hook.${namespace}.svc`, (request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  const made: string[] = [];
  try {
    // An address of loopback may be no endpoint; a name may be that of anybody.
    await scene.out(`create service externalname hook --external-name=localhost --tcp=${server.port}`);
    await body({
      scene,
      async hook(kind, path, more = {}) {
        const webhook = {
          name: `${path.slice(1)}.stories.example.com`,
          clientConfig: {
            service: { namespace, name: 'hook', path, port: server.port },
            caBundle: server.caBundle,
          },
          rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          timeoutSeconds: 5,
          ...more,
        };
        const object = {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind: `${kind}WebhookConfiguration`,
          metadata: { name: `${namespace}-${path.slice(1)}` },
          webhooks: [webhook],
        };
        made.push(`${kind.toLowerCase()}webhookconfiguration/${object.metadata.name}`);
        await scene.out('create -f -', object);
      },
    });
  } finally {
    for (const one of made) await scene.run(`delete ${one}`);
    await server.stop();
  }
}

const NOS: readonly (readonly [path: string, wanted: string])[] = [
  [
    '/deny',
    'Error from server: error when creating "STDIN": admission webhook "deny.stories.example.com" denied the request: not on a Friday',
  ],
  [
    '/forbid',
    'Error from server (Forbidden): error when creating "STDIN": admission webhook "forbid.stories.example.com" denied the request: not you',
  ],
  [
    '/silent',
    'Error from server: error when creating "STDIN": admission webhook "silent.stories.example.com" denied the request without explanation',
  ],
];

export const webhookStories: Stories = {
  'webhooks say no': async (begin) => {
    for (const [path, wanted] of NOS) {
      await withHooks(begin, `hook${path.replace('/', '-')}`, async ({ scene, hook }) => {
        await hook('Validating', path);
        const { stderr } = await scene.until('create --dry-run=server -f -', /denied/, configMapOf('a'));
        assert.equal(stderr.trimEnd(), wanted);
        assert.equal(await scene.fails('create -f -', configMapOf('a')), wanted);
        assert.match(
          await scene.fails('get configmap a'),
          /^Error from server \(NotFound\): configmaps "a" not found$/,
        );
      });
    }
  },

  'a webhook warns, another one writes': (begin) =>
    withHooks(begin, 'hook-mark', async ({ scene, hook }) => {
      await hook('Mutating', '/mark');
      await hook('Validating', '/warn');
      await scene.until('create --dry-run=server -f -', /way out/, configMapOf('a'));
      const { stdout, stderr } = await scene.run('create -f -', configMapOf('a', { by: 'me' }));
      assert.deepEqual([stdout, stderr], ['configmap/a created\n', 'Warning: this map is on its way out\n']);
      assert.equal(await scene.out('get configmap a -o jsonpath={.data.by}'), 'hook');
    }),

  'a webhook that nobody answers for: fail, or go on': (begin) =>
    withHooks(begin, 'hook-gone', async ({ scene, hook }) => {
      const service = { namespace: scene.namespace, name: 'hook', path: '/x', port: 1 };
      const gone = { name: 'gone.stories.example.com', clientConfig: { service } };
      await hook('Validating', '/fails', { ...gone, failurePolicy: 'Fail' });
      const { stderr } = await scene.until('create --dry-run=server -f -', /failed calling/, configMapOf('a'));
      assert.match(
        stderr,
        new RegExp(
          '^Error from server \\(InternalError\\): error when creating "STDIN": Internal error occurred: failed calling webhook "gone.stories.example.com": ' +
            `failed to call webhook: Post "https://hook.${scene.namespace}.svc:1/x\\?timeout=5s": dial tcp .*: connect: connection refused\\n$`,
        ),
      );
      await scene.out(`delete validatingwebhookconfiguration ${scene.namespace}-fails`);
      await hook('Validating', '/ignored', { ...gone, failurePolicy: 'Ignore' });
      await scene.until('create -f -', /^configmap\/a created\n$/, configMapOf('a'));
    }),

  'a webhook without side effects in trials is asked in trials; the mistakes of one are told all at once': (begin) =>
    withHooks(begin, 'hook-dry', async ({ scene, hook }) => {
      const operations = ['CREATE', 'UPDATE'];
      await hook('Validating', '/warn', {
        sideEffects: 'NoneOnDryRun',
        rules: [{ operations, apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      });
      await scene.until('create --dry-run=server -f -', /^Warning: this map is on its way out\n/, configMapOf('a'));
      const bad = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'bad' },
        webhooks: [
          { name: 'short', clientConfig: { url: 'http://x' }, sideEffects: 'Some', admissionReviewVersions: ['v1'] },
        ],
      };
      assert.equal(
        await scene.fails('create -f -', bad),
        [
          'The ValidatingWebhookConfiguration "bad" is invalid: ',
          '* webhooks[0].name: Invalid value: "short": should be a domain with at least three segments separated by dots',
          '* webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
          '* webhooks[0].clientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
        ].join('\n'),
      );
    }),
};
