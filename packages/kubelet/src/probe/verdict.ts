/** What probes know of one running container; absent: no such probe. */
export interface ProbeVerdict {
  readonly startup?: 'unknown' | 'success' | 'failure';
  readonly liveness?: 'success' | 'failure';
  readonly readiness?: 'success' | 'failure';
}
