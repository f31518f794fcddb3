import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { startTestServer } from '../../testing/test-server.ts';

// What a kube-apiserver v1.36.2 said to these webhook configurations, policies and bindings by dry run: reason, field and
// message of each cause.

interface Row {
  readonly name: string;
  readonly resource: string;
  readonly object: object;
  readonly said: readonly string[];
}

interface Refusal {
  readonly details?: {
    readonly causes?: readonly { readonly reason: string; readonly field: string; readonly message: string }[];
  };
}

const ROWS = JSON.parse(readFileSync(new URL('verdicts.json', import.meta.url), 'utf8')) as readonly Row[];
const GROUP = '/apis/admissionregistration.k8s.io/v1';

describe('webhooks and policies are judged as upstream judges them', () => {
  const server = startTestServer();
  for (const { name, resource, object, said } of ROWS) {
    it(name, async () => {
      const { code, body } = await (await server).ask(`POST ${GROUP}/${resource}?dryRun=All`, object);
      const { details } = body as unknown as Refusal;
      const causes = (details?.causes ?? []).map(({ reason, field, message }) => `${reason} ${field}: ${message}`);
      assert.deepEqual(causes.toSorted(), said);
      assert.equal(code, said.length === 0 ? 201 : 422);
    });
  }
});
