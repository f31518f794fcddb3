import { pathOf } from '../api/discovery.ts';
import type { Resource } from '../api/discovery.ts';
import { ApiError, request } from '../api/request.ts';
import type { ApiObject } from '../live/rows.ts';
import type { KnownObject } from './find.ts';

const PARTIAL = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
/** Of each kind so many are asked for at once, and so many are searched. */
const PAGE = 1000;
const SEARCHED_MAX = 20_000;

/** Names of the objects of all kinds, as far as the viewer may list them; told kind by kind. */
export async function readObjects(
  kinds: readonly Resource[],
  { namespace, signal, tell }: ObjectSearch,
): Promise<void> {
  // What nobody can delete is kept by nobody; Events are many, and are about others.
  const kept = kinds.filter(({ verbs, resource }) => verbs.includes('delete') && resource !== 'events');
  await Promise.all(
    kept.map(async (kind) => {
      const path = pathOf(kind, kind.namespaced && namespace !== '' ? { namespace } : {});
      try {
        let next = '';
        for (let searched = 0; searched < SEARCHED_MAX; searched += PAGE) {
          const { value } = await request<Page>({ path: `${path}?limit=${PAGE}${next}`, accept: PARTIAL, signal });
          tell((value.items ?? []).map((object) => ({ kind, object })));
          const token = value.metadata?.continue ?? '';
          if (token === '') break;
          next = `&continue=${encodeURIComponent(token)}`;
        }
      } catch (error) {
        // What the viewer may not list he does not find.
        if (!(error instanceof ApiError) && !signal.aborted) throw error;
      }
    }),
  );
}

interface Page {
  readonly items?: readonly ApiObject[];
  readonly metadata?: { readonly continue?: string };
}

/** Where is searched, and who is told what was found. */
export interface ObjectSearch {
  /** Empty: in all. */
  readonly namespace: string;
  readonly signal: AbortSignal;
  readonly tell: (objects: readonly KnownObject[]) => void;
}
