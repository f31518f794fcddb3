import { bundleReferenceErrors } from '../../../certificates/cluster-trust-bundle/bundle-name.ts';
import { validateSignerName } from '../../../certificates/signer-name.ts';
import type {
  ClusterTrustBundleProjection,
  ProjectedVolumeSource,
  VolumeProjection,
} from '../../../generated/core-v1.ts';
import { validateLabelSelector } from '../../../validation/labels.ts';
import type { FieldPath } from '../../../validation/path.ts';
import type { Report } from '../../../validation/report.ts';
import { validateFileMode, validateNonReservedPath } from './paths.ts';
import { validateDownwardFile, validateKeyToPath } from './volume-files.ts';

const TOKEN_SECONDS_MIN = 600;
const TOKEN_SECONDS_MAX = 2 ** 32;

/** A volume whose files come from several sources; no two of them may make the same file. */
export function validateProjected(source: ProjectedVolumeSource, path: FieldPath, report: Report): void {
  validateFileMode(source.defaultMode, path.child('defaultMode'), report);
  const taken = new Set<string>();
  for (const [at, projection] of (source.sources ?? []).entries()) {
    const here = path.child('sources').index(at);
    validateProjection({ projection, taken, top: path }, here, report);
    if (Object.values(projection).filter((one) => one !== undefined && one !== null).length > 1) {
      report.forbidden(here, 'may not specify more than 1 volume type per source');
    }
  }
}

interface ProjectionOfVolume {
  readonly projection: VolumeProjection;
  /** Paths of files that are taken. */
  readonly taken: Set<string>;
  /** The volume's source: where upstream reports conflicts. */
  readonly top: FieldPath;
}

function validateProjection(given: ProjectionOfVolume, path: FieldPath, report: Report): void {
  const { projection, top } = given;
  for (const kind of ['secret', 'configMap'] as const) {
    const source = projection[kind];
    if (!source) continue;
    if (!source.name) report.required(path.child(kind).child('name'));
    for (const [at, item] of (source.items ?? []).entries()) {
      validateKeyToPath(item, path.child(kind).child('items').index(at), report);
      takePath(given, { file: item.path, shown: source.name ?? '' }, report);
    }
  }
  for (const file of projection.downwardAPI?.items ?? []) {
    validateDownwardFile(file, path.child('downwardAPI'), report);
    takePath(given, { file: file.path, shown: file.path }, report);
  }
  if (projection.serviceAccountToken) validateToken(projection, { path, top }, report);
  if (projection.clusterTrustBundle) {
    validateTrustBundle(projection.clusterTrustBundle, path.child('clusterTrustBundle'), report);
    takePath(given, { file: projection.clusterTrustBundle.path, shown: projection.clusterTrustBundle.path }, report);
  }
}

function takePath(given: ProjectionOfVolume, at: { file: string; shown: string }, report: Report): void {
  if (!at.file) return;
  if (given.taken.has(at.file)) report.invalid(given.top, at.shown, 'conflicting duplicate paths');
  given.taken.add(at.file);
}

function validateToken(
  projection: VolumeProjection,
  place: { readonly path: FieldPath; readonly top: FieldPath },
  report: Report,
): void {
  const token = projection.serviceAccountToken;
  const seconds = token?.expirationSeconds ?? 0;
  const secondsPath = place.path.child('serviceAccountToken').child('expirationSeconds');
  if (seconds < TOKEN_SECONDS_MIN) {
    report.invalid(secondsPath, seconds, 'may not specify a duration less than 10 minutes');
  }
  if (seconds > TOKEN_SECONDS_MAX) {
    report.invalid(secondsPath, seconds, 'may not specify a duration larger than 2^32 seconds');
  }
  if (!token?.path) report.required(place.top.child('path'));
  else validateNonReservedPath(token.path, place.top.child('path'), report);
}

function validateTrustBundle(bundle: ClusterTrustBundleProjection, path: FieldPath, report: Report): void {
  const hasName = bundle.name !== undefined && bundle.name !== null;
  const hasSigner = bundle.signerName !== undefined && bundle.signerName !== null;
  if (hasName && hasSigner) report.invalid(path, bundle, 'only one of name and signerName may be used');
  else if (hasName) {
    if (bundle.name === '') report.required(path.child('name'), 'must be a valid object name');
    const errors = bundleReferenceErrors(bundle.name ?? '');
    for (const error of errors) {
      report.invalid(path.child('name'), bundle.name, `not a valid clustertrustbundlename: ${error}`);
    }
    if (bundle.labelSelector) {
      report.invalid(
        path.child('labelSelector'),
        bundle.labelSelector,
        'labelSelector must be unset if name is specified',
      );
    }
  } else if (hasSigner) {
    if (bundle.signerName === '') report.required(path.child('signerName'), 'must be a valid signer name');
    validateSignerName(bundle.signerName, path.child('signerName'), report);
    validateLabelSelector(bundle.labelSelector, path.child('labelSelector'), report);
  } else report.required(path, 'either name or signerName must be specified');
  if (!bundle.path) report.required(path.child('path'));
  validateNonReservedPath(bundle.path, path.child('path'), report);
}
