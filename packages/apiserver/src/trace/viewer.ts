import type { UserInfo } from '@binnacle/machinery';
import type { Authorizer, RequestAttributes } from '../ports/authorization.ts';
import type { RequestRecord, TraceRecord } from '../recording/record.ts';
import { objectOf } from './trace-index.ts';
import type { ObjectName, TraceIndex } from './trace-index.ts';

type Asked = Pick<RequestAttributes, 'verb' | 'group' | 'resource' | 'namespace' | 'name'>;

/** What one person may see, asked of the same authorizer as their own requests. Answers are kept for one reading. */
export class Viewer {
  readonly #user: UserInfo;
  readonly #authorizer: Authorizer;
  readonly #index: TraceIndex;
  readonly #answers = new Map<string, boolean | Promise<boolean>>();

  constructor(user: UserInfo, authorizer: Authorizer, index: TraceIndex) {
    this.#user = user;
    this.#authorizer = authorizer;
    this.#index = index;
  }

  /** Whether they may see a record: who may read its object may. */
  maySee(record: TraceRecord): boolean | Promise<boolean> {
    const object = this.objectOf(record);
    if (object !== undefined) {
      const seen = this.mayGet(object);
      return record.kind === 'component' && record.hop.kind === 'event' ? this.#andEvents(seen, object) : seen;
    }
    // What is about no object (images, the runtime itself) is the node's affair.
    if (record.kind !== 'request') return this.mayListNodes();
    if (!record.isResource) return this.#mayGetPath(record.path);
    // Of a create that was refused before its body was read too: what it says of the body is for who may read any such object.
    const { verb, group, resource, namespace } = record;
    return this.#may({ verb: verb === 'watch' ? 'watch' : 'list', group, resource, namespace, name: '' });
  }

  mayGet({ group, resource, namespace, name }: ObjectName): boolean | Promise<boolean> {
    return this.#may({ verb: 'get', group, resource, namespace, name });
  }

  mayListNodes(): boolean | Promise<boolean> {
    return this.#may({ verb: 'list', group: '', resource: 'nodes', namespace: '', name: '' });
  }

  /** Pods that others are moved aside for are named to those who may list the pods there. */
  mayListPods(namespace: string): boolean | Promise<boolean> {
    return this.#may({ verb: 'list', group: '', resource: 'pods', namespace, name: '' });
  }

  /** Who may do what is told to those who may read the bindings. */
  mayListBindings(namespace: string): boolean | Promise<boolean> {
    const resource = namespace === '' ? 'clusterrolebindings' : 'rolebindings';
    return this.#may({ verb: 'list', group: 'rbac.authorization.k8s.io', resource, namespace, name: '' });
  }

  /** The object of a record; that of a create is named by what it wrote. */
  objectOf(record: TraceRecord): ObjectName | undefined {
    return objectOf(record) ?? (record.kind === 'request' ? this.#created(record) : undefined);
  }

  #created({ id, verb }: RequestRecord): ObjectName | undefined {
    if (verb !== 'create') return undefined;
    const [commit] = this.#index.commitsOf(id);
    return commit === undefined ? undefined : objectOf(commit);
  }

  async #andEvents(seen: boolean | Promise<boolean>, { namespace }: ObjectName): Promise<boolean> {
    const home = namespace === '' ? 'default' : namespace;
    const events = this.#may({ verb: 'list', group: '', resource: 'events', namespace: home, name: '' });
    return (await seen) && (await events);
  }

  #may(asked: Asked): boolean | Promise<boolean> {
    const key = `${asked.verb} ${asked.resource}.${asked.group}/${asked.namespace}/${asked.name}`;
    return this.#once(key, { ...asked, isResource: true, path: '' });
  }

  #mayGetPath(path: string): boolean | Promise<boolean> {
    const asked = { verb: 'get', group: '', resource: '', namespace: '', name: '' };
    return this.#once(`path ${path}`, { ...asked, isResource: false, path });
  }

  #once(key: string, asked: Asked & { isResource: boolean; path: string }): boolean | Promise<boolean> {
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const decided = this.#authorizer.authorize({ ...asked, user: this.#user, version: '*', subresource: '' });
    const answer =
      decided instanceof Promise ? decided.then(({ decision }) => decision === 'allow') : decided.decision === 'allow';
    this.#answers.set(key, answer);
    return answer;
  }
}
