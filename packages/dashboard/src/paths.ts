/** What the dashboard's origin passes on to the API server, judged by the path alone. */
export type PathJudgement = 'passed' | 'refused' | 'other';

const ROOTS = ['api', 'apis', 'openapi', 'version', 'healthz', 'livez', 'readyz'];
/** Behind them is somebody else's page, which must not run where the dashboard's session is. */
const FOREIGN = 'proxy';

/**
 * `passed` for paths of the Kubernetes API; `refused` for those behind which a pod, a Service or a node answers with
 * whatever it likes; `other` for the dashboard's own files. `path`: as it came, without the query.
 */
export function judgePath(path: string): PathJudgement {
  const written = path.split('/').slice(1);
  if (!ROOTS.includes(written[0] ?? '')) return 'other';
  const steps = written.map(readStep);
  const last = steps.length - 1;
  // One reading only: what an API server might read as another path goes to none.
  if (steps.some((step, at) => step === undefined || (step === '' && at < last))) return 'refused';
  return steps.some((step, at) => step === FOREIGN && isSubresource(steps, at)) ? 'refused' : 'passed';
}

/** Undefined for what may be read in several ways. */
function readStep(written: string): string | undefined {
  let step: string;
  try {
    step = decodeURIComponent(written);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
  return step === '.' || step === '..' || /[/%\\]/.test(step) ? undefined : step;
}

/** Whether the step is behind a name: `/api/v1[/namespaces/NS]/RESOURCE/NAME/…`. An object may be called `proxy`. */
function isSubresource(steps: readonly (string | undefined)[], at: number): boolean {
  const resourceAt = steps[0] === 'api' ? 2 : 3;
  const isNamespaced = steps[resourceAt] === 'namespaces' && steps.length > resourceAt + 2;
  return at >= resourceAt + (isNamespaced ? 4 : 2);
}
