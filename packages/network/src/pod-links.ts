/** The door to links between nodes: ways to the pods of others, by the machine's `ip` and `bridge`. */
export { PodLinks } from './pod-links/pod-links.ts';
export type { PodLinksOptions } from './pod-links/pod-links.ts';
