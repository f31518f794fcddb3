import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { atOnce } from '@binnacle/base';
import { kindRules, validateCreate } from '@binnacle/api';
import type { CustomResourceDefinition } from '@binnacle/api/apiextensions/v1';
import type { KubeObject } from '@binnacle/machinery';
import { DEFINITION_STRATEGY } from '../definition-strategy.ts';
import { checkDefinition } from './check-definition.ts';

// What a kube-apiserver v1.36.2 said to these definitions by dry run: reason, field and message of each cause.

interface Row {
  readonly name: string;
  /** Of the one version of a plain definition; or the definition's own metadata and spec. */
  readonly schema?: object;
  readonly metadata?: object;
  readonly spec?: object;
  readonly said: readonly string[];
}

const ROWS = JSON.parse(readFileSync(new URL('definition-verdicts.json', import.meta.url), 'utf8')) as readonly Row[];
const KIND = { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition', namespaced: false };

function definitionOf({ schema, metadata = { name: 'foos.x.io' }, spec }: Row): KubeObject {
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
  const plain = { group: 'x.io', scope: 'Namespaced', names: { plural: 'foos', kind: 'Foo' }, versions: [version] };
  const definition = { metadata, spec: spec ?? plain } as unknown as KubeObject;
  DEFINITION_STRATEGY.prepareForCreate?.(definition, { name: 'x', groups: [] });
  kindRules(KIND.group, KIND.kind).defaults?.(definition);
  return definition;
}

function verdictOf(row: Row): string[] {
  const definition = definitionOf(row);
  const plain = validateCreate(KIND, definition);
  const errors = plain.length > 0 ? plain : atOnce(checkDefinition(definition as unknown as CustomResourceDefinition));
  return errors.map((error) => `${error.type} ${error.field}: ${error.body()}`).toSorted();
}

describe('definitions are judged as upstream judges them', () => {
  for (const row of ROWS) it(row.name, () => assert.deepEqual(verdictOf(row), row.said));
});
