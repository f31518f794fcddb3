/** The path as Go's clients write it: one slash between steps, none at the end, no `.` and `..`. Webhooks compare it. */
export function cleanPath(path: string): string {
  const steps: string[] = [];
  for (const step of path.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return `/${steps.join('/')}`;
}

/** The same of a whole URL; what else it says is kept. */
export function withCleanPath(url: string): URL {
  const whole = new URL(url);
  whole.pathname = cleanPath(whole.pathname);
  return whole;
}
