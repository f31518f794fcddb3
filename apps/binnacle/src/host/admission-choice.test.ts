import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { makeTestFolder } from '@binnacle/base/testing';
import { UsageError } from '../errors.ts';
import { admissionChoice } from './admission-choice.ts';

describe('the configuration of admission', () => {
  const folder = makeTestFolder();
  after(() => folder.remove());
  const write = (name: string, document: object): string => {
    const path = join(folder.path, name);
    writeFileSync(path, JSON.stringify(document));
    return path;
  };
  const configured = (...plugins: object[]): string =>
    write('admission.json', { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins });
  const kubeconfig = write('kubeconfig', {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: 'https://images.example/policy' } }],
    users: [{ name: 'u', user: { token: 'secret' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });

  it('has documents, and those of files beside it', async () => {
    write('limits.json', { a: 1 });
    const path = configured(
      { name: 'PodSecurity', configuration: { b: 2 } },
      { name: 'EventRateLimit', path: 'limits.json' },
      { name: 'ResourceQuota' },
    );
    const { admission } = await admissionChoice({ admissionControlConfigFile: path });
    assert.deepEqual(
      [...(admission.configuration ?? [])],
      [
        ['PodSecurity', { b: 2 }],
        ['EventRateLimit', { a: 1 }],
        ['ResourceQuota', undefined],
      ],
    );
    assert.equal(admission.endpoints?.size, 0);
  });

  it('says by a kubeconfig who is asked about images', async () => {
    const configuration = { imagePolicy: { kubeConfigFile: kubeconfig } };
    const path = configured({ name: 'ImagePolicyWebhook', configuration });
    const { admission } = await admissionChoice({ admissionControlConfigFile: path });
    const endpoint = admission.endpoints?.get('ImagePolicyWebhook');
    assert.deepEqual([endpoint?.url, endpoint?.token], ['https://images.example/policy', 'secret']);
  });

  for (const [name, configuration, says] of [
    ['nobody to ask about images', { imagePolicy: {} }, /kubeConfigFile: Required value/],
    ['a kubeconfig that is not there', { imagePolicy: { kubeConfigFile: '/none/k' } }, /\/none\/k/],
    ['an unknown field', { imagePolicy: { kubeConfigFile: '/k', x: 1 } }, /unknown field "imagePolicy.x"/],
  ] as const) {
    it(`is refused: ${name}`, async () => {
      const path = configured({ name: 'ImagePolicyWebhook', configuration });
      await assert.rejects(admissionChoice({ admissionControlConfigFile: path }), (error) => {
        const { cause } = error as Error;
        const text = `${(error as Error).message} ${cause instanceof Error ? cause.message : ''}`;
        return error instanceof UsageError && says.test(text);
      });
    });
  }
});
