/** A row of `/metrics` that does not change: the name carries labels in braces. */
type Row = readonly [name: string, type: string, value: number];

/** Where nobody says another. */
export const SERVED_VERSION = 'v1.36.0';

/** Which program this is. */
export interface Build {
  /** The version of Kubernetes that is served, as upstream writes its own. */
  readonly version: string;
  /** Of its source; empty where it is not known. */
  readonly commit: string;
}

/** What `/version` says. */
export function versionInfo({ version: gitVersion, commit: gitCommit }: Build) {
  const [, major = '1', minor = '36'] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion,
    gitCommit,
    gitTreeState: 'clean',
    buildDate: '2026-11-20T00:00:00Z',
    goVersion: 'none',
    compiler: 'typescript',
    platform: 'node',
  };
}

/** Upstream's labels: what the binary is. */
export function buildInfo(build: Build): Row {
  const { major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } =
    versionInfo(build);
  const labels = {
    ...{ major, minor, git_version: gitVersion, git_commit: gitCommit, git_tree_state: gitTreeState },
    ...{ build_date: buildDate, go_version: goVersion, compiler, platform },
  };
  const text = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [`kubernetes_build_info{${text.join(',')}}`, 'gauge', 1];
}

/** Upstream's labels: which version it is, which it behaves as, and which it can be beside. */
export function compatibility(build: Build): Row {
  const { major, minor } = versionInfo(build);
  const [binary, before] = [`${major}.${minor}`, `${major}.${Number(minor) - 1}`];
  const labels = `component="kube",binary="${binary}",emulation="${binary}",min_compat="${before}"`;
  return [`version_info{${labels}}`, 'gauge', 1];
}
