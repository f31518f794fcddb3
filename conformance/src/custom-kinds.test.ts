/** Custom kinds as people meet them: real kubectl of three versions against a whole cluster in one process. */
import { findKubectl, kubectlOutput, runKubectl, startOneProcess } from '@binnacle/testkit';
import type { Kubectl, OneProcessCluster } from '@binnacle/testkit';
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

const GROUP = 'ships.example.com';

const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: boats.${GROUP}
spec:
  group: ${GROUP}
  scope: Namespaced
  names: { plural: boats, singular: boat, kind: Boat, shortNames: [bt], categories: [all, fleet] }
  versions:
    - name: v1
      served: true
      storage: true
      subresources:
        status: {}
        scale: { specReplicasPath: .spec.crew, statusReplicasPath: .status.aboard, labelSelectorPath: .status.selector }
      additionalPrinterColumns:
        - { name: Masts, type: integer, jsonPath: .spec.masts }
        - { name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status' }
      selectableFields:
        - jsonPath: .spec.color
      schema:
        openAPIV3Schema:
          type: object
          description: A boat of the fleet.
          required: [spec]
          properties:
            spec:
              type: object
              properties:
                masts: { type: integer, minimum: 1, default: 2, description: How many masts it has. }
                crew: { type: integer }
                color: { type: string }
            status:
              type: object
              properties:
                aboard: { type: integer }
                selector: { type: string }
                conditions:
                  type: array
                  items:
                    type: object
                    properties: { type: { type: string }, status: { type: string } }
    - name: v1beta1
      served: true
      storage: false
      deprecated: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: { type: object, x-kubernetes-preserve-unknown-fields: true }
`;

function boat(name: string, spec: string): string {
  return `apiVersion: ${GROUP}/v1\nkind: Boat\nmetadata: { name: ${name} }\nspec: ${spec}\n`;
}

for (const minor of ['1.27', '1.30', '1.33']) {
  describe(`custom kinds with kubectl ${minor}`, { timeout: 120_000 }, () => {
    let cluster: OneProcessCluster;
    let tool: Kubectl;
    const out = (args: string, input?: string): Promise<string> =>
      kubectlOutput(tool, cluster.kubeconfig, args.split(' '), input);
    const fails = async (args: string, input?: string): Promise<string> => {
      const { code, stderr } = await runKubectl(tool, cluster.kubeconfig, args.split(' '), input);
      assert.notEqual(code, 0, args);
      return stderr;
    };

    before(async () => {
      const found = await findKubectl(minor);
      assert.ok(found !== undefined, `kubectl ${minor} is on this machine`);
      tool = found;
      cluster = await startOneProcess({ runtime: 'simulated', nodes: 1, store: 'memory' });
    });
    after(() => cluster.stop());

    test('from the definition to its end', async () => {
      await out('apply -f -', DEFINITION);
      await out(`wait --for=condition=Established crd/boats.${GROUP} --timeout=20s`);
      assert.match(await out('api-resources --categories=fleet'), /boats\s+bt\s+ships\.example\.com\/v1\s+true\s+Boat/);
      assert.match(await out('explain boats.spec.masts'), /How many masts it has\./);
      assert.match(await out('explain boat'), /A boat of the fleet\./);

      await out('apply -f -', boat('a', '{ masts: 3, crew: 2, color: red }'));
      assert.match(await out('apply -f -', boat('a', '{ masts: 4, crew: 2, color: red }')), /configured/);
      assert.match(await out('get bt'), /^NAME\s+MASTS\s+READY\na\s+4/);
      assert.match(await fails('create -f -', boat('b', '{ wheels: 4 }')), /unknown field "spec\.wheels"/);
      assert.match(await fails('create -f -', boat('b', '{ masts: 0 }')), /should be greater than or equal to 1/);
      await out('create -f -', boat('b', '{ color: blue }'));
      assert.equal(await out('get bt --field-selector spec.color=blue -o name'), `boat.${GROUP}/b\n`);
      assert.equal(await out('get boat/b -o jsonpath={.spec.masts}'), '2');

      assert.match(await out('scale boat/a --replicas=7'), /scaled/);
      assert.equal(await out('get boat/a -o jsonpath={.spec.crew}'), '7');
      const status = '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}';
      await out(`patch boat/a --subresource=status --type=merge -p ${status}`);
      await out('wait --for=condition=Ready boat/a --timeout=20s');
      assert.match(await out('get bt a'), /a\s+4\s+True/);
      assert.match(await out('patch boat/a --type=merge -p {"spec":{"masts":5}}'), /patched/);
      assert.match(await out('get all'), /boat\.ships\.example\.com\/a/);
      const { stderr, code } = await runKubectl(tool, cluster.kubeconfig, ['get', `boats.v1beta1.${GROUP}`]);
      assert.deepEqual([code, /is deprecated/.test(stderr)], [0, true]);

      await out('create namespace harbour');
      await out('create -n harbour -f -', boat('c', '{}'));
      await out('delete namespace harbour --timeout=30s');
      assert.equal(await out('get bt -A -o name'), `boat.${GROUP}/a\nboat.${GROUP}/b\n`);

      await out(`delete crd boats.${GROUP} --timeout=30s`);
      assert.match(await fails('get boats'), /the server doesn't have a resource type "boats"|could not find/);
    });
  });
}
