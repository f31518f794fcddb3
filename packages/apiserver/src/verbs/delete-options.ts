import { FieldError, status } from '@binnacle/machinery';
import type { DeleteOptions, SchemaRegistry } from '@binnacle/machinery';
import { readBytes, readObject } from './body.ts';
import type { AnyCall } from '../catalogue/definition.ts';
import { parseQuery } from '../request/query.ts';
import { dryRunListProblems } from './write-options.ts';

const DELETE_OPTIONS = { group: 'meta.k8s.io', kind: 'DeleteOptions' };
const OWN_VERSION = 'meta.k8s.io/v1';
const EXPECTED = { group: '', version: 'v1', kind: 'DeleteOptions', schema: 'meta.v1.DeleteOptions' };

const LOOSE = parseQuery('fieldValidation=Ignore');

/** What deletions are read with. */
export interface DeleteOptionsWorld {
  /** Has the struct of DeleteOptions. */
  readonly schemas: SchemaRegistry;
  /** Whether anything is served in this `group/version`: clients say any of them, and all are the same. */
  readonly isServed: (groupVersion: string) => boolean;
}

/**
 * DeleteOptions of body and query; the query counts where the body is empty. What asks for objects to be deleted unread is
 * passed over, as upstream does without the gate AllowUnsafeMalformedObjectDeletion, whatever else is asked.
 */
export async function readDeleteOptions(world: DeleteOptionsWorld, call: AnyCall): Promise<DeleteOptions> {
  const options = await readBody(world, call);
  const merged = options ?? fromQuery(call);
  check(merged);
  return merged;
}

async function readBody({ schemas, isServed }: DeleteOptionsWorld, call: AnyCall): Promise<DeleteOptions | undefined> {
  const { request } = call;
  if (request.body.kind === 'none' || (request.body.kind === 'value' && request.body.value === undefined)) {
    return undefined;
  }
  if (request.body.kind === 'value') {
    call.received?.(request.body.value);
    return request.body.value as DeleteOptions;
  }
  const bytes = await readBytes(request);
  if (bytes.length === 0) return undefined;
  const isVersion = (version: string): boolean => version === OWN_VERSION || isServed(version);
  const expected = { ...EXPECTED, isVersion };
  const body = { kind: 'bytes', read: () => Promise.resolve(bytes) } as const;
  const again = { header: (name: string) => request.header(name), yaml: request.yaml, body };
  // Upstream reads them loosely, whatever is asked for the objects themselves.
  const read = await readObject(schemas, { ...call, query: LOOSE, request: again }, expected);
  return read as unknown as DeleteOptions;
}

function fromQuery({ query }: AnyCall): DeleteOptions {
  const grace = query.integer('gracePeriodSeconds');
  const propagation = query.get('propagationPolicy');
  return {
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(propagation === '' ? {} : { propagationPolicy: propagation }),
    ...(query.has('orphanDependents') ? { orphanDependents: query.bool('orphanDependents') } : {}),
    ...(!query.has('dryRun') ? {} : { dryRun: [query.get('dryRun')] }),
  } as DeleteOptions;
}

function check(options: DeleteOptions): void {
  const { propagationPolicy, orphanDependents } = options;
  if (propagationPolicy !== undefined && orphanDependents !== undefined) {
    throw invalid(
      'propagationPolicy',
      propagationPolicy,
      'orphanDependents and deletionPropagation cannot be both set',
    );
  }
  if (propagationPolicy !== undefined && !['Foreground', 'Background', 'Orphan'].includes(propagationPolicy)) {
    throw status.invalid(DELETE_OPTIONS, '', [
      new FieldError(
        'FieldValueNotSupported',
        'propagationPolicy',
        propagationPolicy,
        'supported values: "Foreground", "Background", "Orphan", "nil"',
      ),
    ]);
  }
  const problems = dryRunListProblems(options.dryRun ?? []);
  if (problems.length > 0) throw status.invalid(DELETE_OPTIONS, '', problems);
}

function invalid(field: string, value: unknown, detail: string): Error {
  return status.invalid(DELETE_OPTIONS, '', [new FieldError('FieldValueInvalid', field, value, detail)]);
}
