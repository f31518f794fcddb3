import type { Reply } from '../catalogue/definition.ts';
import type { Exchange } from '../request/exchange.ts';

/** Answers a GET beside the resources, or any method where the route takes them all. `rest` is what follows the route's path. */
export type RouteHandler = (exchange: Exchange, rest: string) => Reply | Promise<Reply>;

/** Paths beside the resources: exact ones, and trees (`/healthz/…`). Filled when the server is put together. */
export class Routes {
  readonly #exact = new Map<string, RouteHandler>();
  readonly #unlisted = new Set<string>();
  readonly #trees = new Map<string, RouteHandler>();
  readonly #anyMethod = new Set<RouteHandler>();

  /** Like `exact`, and not shown among the paths. */
  unlisted(path: string, handler: RouteHandler): void {
    this.#exact.set(path, handler);
    this.#unlisted.add(path);
  }

  exact(path: string, handler: RouteHandler): void {
    this.#exact.set(path, handler);
  }

  /** `/healthz` answers for itself and everything below it. */
  tree(path: string, handler: RouteHandler): void {
    this.#trees.set(path, handler);
  }

  /** A tree that is asked with any method, and not shown among the paths. */
  anyMethod(path: string, handler: RouteHandler): void {
    this.#trees.set(path, handler);
    this.#unlisted.add(path);
    this.#anyMethod.add(handler);
  }

  /** Whether it is for others than GET and HEAD too. */
  takesAnyMethod(handler: RouteHandler): boolean {
    return this.#anyMethod.has(handler);
  }

  find(path: string): { readonly handler: RouteHandler; readonly rest: string } | undefined {
    const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
    const exact = this.#exact.get(plain);
    if (exact !== undefined) return { handler: exact, rest: '' };
    for (let end = plain.length; end > 0; end = plain.lastIndexOf('/', end - 1)) {
      const handler = this.#trees.get(plain.slice(0, end));
      if (handler !== undefined) return { handler, rest: plain.slice(end + 1) };
    }
    return undefined;
  }

  paths(): string[] {
    return [...this.#exact.keys(), ...this.#trees.keys()].filter((path) => !this.#unlisted.has(path)).sort();
  }
}
