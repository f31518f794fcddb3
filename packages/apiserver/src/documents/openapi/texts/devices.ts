/**
 * What is said of devices, certificates, identities and resources that pods are given, in words of our own: at most 25
 * of them a field.
 */

export const DEVICE_TEXTS = {
  'certificates.v1beta1.ClusterTrustBundle': {
    '': 'ClusterTrustBundle is a set of certificates of authorities that anybody in the cluster may read and trust.',
    spec: 'The certificates, and whose they are.',
  },
  'certificates.v1beta1.ClusterTrustBundleList': { items: 'The bundles.' },
  'certificates.v1beta1.ClusterTrustBundleSpec': {
    signerName:
      "Whose certificates they are; empty: nobody's. Never changes. Who sets it has to be allowed to attest for the signer.",
    trustBundle: 'Certificates of authorities in PEM, each once, without headers. Readers may order them anew.',
  },
  'core.v1.ClusterTrustBundleProjection': {
    name: 'Name of one bundle of certificates. Not together with signerName.',
    signerName: 'Take all bundles of this signer that labelSelector selects, as one file without repetitions.',
    labelSelector: 'Which bundles of the signer. Absent: none; empty: all of them.',
    optional: 'Whether the pod may start though there is no such bundle.',
    path: 'File that the certificates are written to, within the volume.',
  },
  'core.v1.PodCertificateProjection': {
    signerName: 'Who signs the certificate: the kubelet asks for it and renews it before it ends.',
    keyType: 'Which key is made: RSA3072, RSA4096, ECDSAP256, ECDSAP384, ECDSAP521 or ED25519.',
    maxExpirationSeconds:
      'How long the certificate may hold at most; between an hour and 91 days. The signer may choose less.',
    credentialBundlePath: 'One file with the key and the chain of certificates; best, since both change at once.',
    keyPath: 'A file with the key alone.',
    certificateChainPath: 'A file with the chain of certificates alone.',
    userAnnotations: 'What else the signer is told. Which names it knows, its own documentation says.',
  },
  'core.v1.FileKeySelector': {
    volumeName: 'Name of the emptyDir volume of the pod that the file is in.',
    path: 'The file, relative to the volume: lines of NAME=value.',
    key: 'Name of the variable in that file.',
    optional: 'Whether the container may start though the file or the name is not there.',
  },
  'core.v1.ContainerResizePolicy': {
    resourceName: 'The resource that this is about: cpu or memory.',
    restartPolicy: 'What a change of it in place takes: NotRequired (the default) or RestartContainer.',
  },
  'core.v1.ContainerRestartRule': {
    action: 'What is done when the rule matches: Restart, or RestartAllContainers to begin the pod anew.',
    exitCodes: 'With which exit codes of the container the rule matches.',
  },
  'core.v1.ContainerRestartRuleOnExitCodes': {
    operator: 'In: one of the values; NotIn: any other code.',
    values: 'The exit codes, 255 at most of them.',
  },
  'core.v1.ContainerUser': { linux: 'Who its first process is, on Linux.' },
  'core.v1.LinuxContainerUser': {
    uid: 'Number of the user that the first process started as.',
    gid: 'Number of its main group.',
    supplementalGroups: 'Numbers of its further groups, those from the image among them.',
  },
  'core.v1.EphemeralContainer': {
    targetContainerName: 'Whose processes the container sees, by name. Its image need not have any tools itself.',
  },
  'core.v1.HostIP': { ip: 'An address of the node.' },
  'core.v1.PodIP': { ip: 'An address of the pod.' },
  'core.v1.ObjectReference': {
    apiVersion: 'Group and version of the object.',
    kind: 'Kind of the object.',
    namespace: 'Namespace of the object; empty for objects of the whole cluster.',
    name: 'Name of the object.',
    uid: 'UID of the object, so that a later one of that name is not taken for it.',
    resourceVersion: 'The version of the object that is meant, where it matters.',
    fieldPath: 'A part of the object, as spec.containers{name} for one of the containers of a pod.',
  },
  'core.v1.PodResourceClaim': {
    name: 'What containers call it in resources.claims; a DNS label.',
    resourceClaimName: 'A ResourceClaim that is there, and that other pods may use too.',
    resourceClaimTemplateName: 'A template: a claim is made of it for this pod, and goes with the pod.',
  },
  'core.v1.PodResourceClaimStatus': {
    name: 'The name in resourceClaims of the pod.',
    resourceClaimName: 'The ResourceClaim that was made for it; none where none was needed.',
  },
  'core.v1.ResourceClaim': {
    name: 'Which entry of resourceClaims of the pod.',
    request: 'Which request of that claim; all of them if empty.',
  },
  'core.v1.PodExtendedResourceClaimStatus': {
    requestMappings: 'Which request of the claim stands for which resource of which container.',
    resourceClaimName: 'The ResourceClaim that was made for what the pod asked for as extended resources.',
  },
  'core.v1.ContainerExtendedResourceRequest': {
    containerName: 'The container that asked.',
    resourceName: 'The extended resource that it asked for.',
    requestName: 'The request in the claim that stands for it.',
  },
  'core.v1.NodeAllocatableResourceClaimStatus': {
    resourceClaimName: 'The ResourceClaim whose devices take of what the node has.',
    containers: 'The containers that use it.',
    resources: 'How much CPU, memory and so on the devices take.',
  },
  'core.v1.PodSchedulingGroup': { podGroupName: 'The PodGroup of the same namespace that the pod belongs to.' },
  'core.v1.ResourceStatus': {
    name: 'The resource, or the claim: as claim:NAME/REQUEST.',
    resources: 'The devices that were given for it, each with its health.',
  },
  'core.v1.ResourceHealth': {
    resourceID: 'Which device, in the words of its plugin or driver.',
    health: 'Healthy, Unhealthy or Unknown, as last heard.',
    message: 'What is wrong with it, for people.',
  },
  'core.v1.VolumeMountStatus': {
    name: 'The volume.',
    mountPath: 'Where in the container it is mounted.',
    readOnly: 'Whether it is mounted so that nobody writes to it.',
    recursiveReadOnly: 'Whether that holds for all mounts below it too: Enabled or Disabled, never IfPossible.',
    volumeStatus: 'What became of the volume itself.',
  },
  'core.v1.VolumeStatus': { image: 'Of a volume that is an image: which one it is.' },
  'core.v1.ImageVolumeStatus': { imageRef: 'The image with its digest, as it was pulled.' },
  'core.v1.WindowsSecurityContextOptions': {
    gmsaCredentialSpecName: 'Name of the credential specification of a group managed service account.',
    gmsaCredentialSpec: 'That specification itself. Filled in by a webhook that knows the name.',
    runAsUserName: 'User that the first process runs as; the one of the image by default.',
    hostProcess: 'Whether the containers run on the host itself; all of a pod or none, and with hostNetwork.',
  },
} as const;
