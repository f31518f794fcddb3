/** What is said of devices that are claimed, of their classes, and of what drivers publish; at most 25 words a field. */

const OF_REQUESTS = {
  deviceClassName: 'Name of the DeviceClass, which selects devices and configures them. Has to be given.',
  selectors: 'What a device has to be like, beside what its class asks for; all must hold.',
  allocationMode: 'ExactCount (the default): as many as count says; All: every device that fits, at least one.',
  count: 'How many devices, with ExactCount; 1 by default.',
  tolerations: 'Taints of devices that do not keep them from being taken.',
  capacity: 'How much of a device that several may share is asked for.',
} as const;

const OF_TOLERATIONS = {
  key: 'Key of the taint; empty, with Exists: any taint.',
  operator: 'Equal (the default): the value too; Exists: whatever the value.',
  value: 'Value of the taint, with Equal.',
  effect: 'Effect of the taint: NoSchedule or NoExecute; empty: any.',
  tolerationSeconds: 'How long a NoExecute taint is borne before the pods go; absent: for ever; 0 or less: not at all.',
} as const;

const OF_BINDING = {
  bindingConditions:
    'Conditions of the device, in the status of the claim, that have to be true before the pod is bound to its node.',
  bindingFailureConditions:
    'Conditions of which one that is true says that the device will not get ready: another is looked for.',
} as const;

const OF_NODES = {
  nodeName: 'The one node that has the devices. Never changes.',
  nodeSelector: 'Which nodes can reach the devices: one term.',
  allNodes: 'Whether every node can reach the devices.',
} as const;

const OF_NAMES = {
  driver: 'Name of the driver, a domain of its vendor.',
  pool: 'Name of the pool that the device is in: often that of its node.',
  device: 'Name of the device in its pool.',
  shareID: 'Which share of a device that several have.',
} as const;

const REQUESTS = 'Which requests it is about, by name; main/sub for one alternative. Empty: all.';
const OPAQUE = 'What a driver is told, in terms of its own.';
const CONFIG = 'What drivers are told about the devices; nothing that decides which are taken.';

export const CLAIM_TEXTS = {
  'resource.v1.AllocatedDeviceStatus': {
    ...OF_NAMES,
    conditions: 'What the driver knows of the state of the device.',
    data: 'What else the driver tells, in terms of its own.',
    networkData: 'How a device of the network is set up.',
  },
  'resource.v1.AllocationResult': {
    devices: 'The devices that were taken, and what their drivers are told.',
    nodeSelector: 'Which nodes can reach all of them; absent: any.',
    allocationTimestamp: 'When they were taken; kept where a device has conditions to wait for.',
  },
  'resource.v1.CELDeviceSelector': {
    expression:
      'CEL that is true of the devices that fit, of device.driver, device.attributes["domain"].name and device.capacity["domain"].name.',
  },
  'resource.v1.CapacityRequestPolicy': {
    default: 'How much a request takes that does not say.',
    validValues: 'The amounts that may be taken, ascending; a request is rounded up to one. Not with validRange.',
    validRange: 'Between which amounts, and in which steps, may be taken. Not with validValues.',
  },
  'resource.v1.CapacityRequestPolicyRange': {
    min: 'The least; smaller requests are rounded up to it.',
    max: 'The most; a larger request does not fit.',
    step: 'Amounts are the least and whole steps on top; a request is rounded up.',
  },
  'resource.v1.CapacityRequirements': {
    requests: 'How much, by the name of the capacity. A device that cannot be shared has to have as much.',
  },
  'resource.v1.Counter': { value: 'How much there is, or is used.' },
  'resource.v1.CounterSet': {
    name: 'Name of the set, unique in its pool.',
    counters: 'What devices draw from together, by name.',
  },
  'resource.v1.Device': {
    name: 'Name of the device, unique in its pool.',
    attributes: 'What is known of it, by name; a name without a domain has that of the driver.',
    capacity: 'How much of what it has, by name; a name without a domain has that of the driver.',
    consumesCounters: 'What it draws from the counters of its pool: devices that are parts of one compete by these.',
    ...OF_NODES,
    nodeName: 'The node that has this device; only with perDeviceNodeSelection.',
    taints: 'What keeps it from those that do not tolerate it; the driver sets them, administrators may add rules.',
    bindsToNode:
      'Whether a claim that takes it is tied to the node that was chosen, wherever else it could be reached.',
    ...OF_BINDING,
    allowMultipleAllocations: 'Whether several claims may share it.',
    nodeAllocatableResourceMappings:
      'What it takes of the node, by resource (cpu, memory): counted as if the pod had asked for it.',
  },
  'resource.v1.DeviceAllocationConfiguration': {
    source: 'Where it comes from: FromClass or FromClaim; the claim is told last and goes first.',
    requests: REQUESTS,
    opaque: OPAQUE,
  },
  'resource.v1.DeviceAllocationResult': { results: 'The devices that were taken, each for a request.', config: CONFIG },
  'resource.v1.DeviceAttribute': {
    int: 'A whole number.',
    bool: 'True or false.',
    string: 'A text of at most 64 characters.',
    version: 'A version, as semver.org 2.0 has it.',
    ints: 'Whole numbers.',
    bools: 'Truth values.',
    strings: 'Texts.',
    versions: 'Versions.',
  },
  'resource.v1.DeviceCapacity': {
    value: 'How much the device has.',
    requestPolicy: 'How it may be divided, where several may share the device; absent: as each request says.',
  },
  'resource.v1.DeviceClaim': {
    requests: 'What is asked for; all of it has to be there.',
    constraints: 'What has to hold for devices together.',
    config: CONFIG,
  },
  'resource.v1.DeviceClaimConfiguration': { requests: REQUESTS, opaque: OPAQUE },
  'resource.v1.DeviceClass': {
    '': 'DeviceClass is a sort of device: what it is like, and how it is set up. Claims name it.',
    spec: 'What devices of the class are like, and how they are set up.',
  },
  'resource.v1.DeviceClassConfiguration': { opaque: OPAQUE },
  'resource.v1.DeviceClassSpec': {
    selectors: 'What a device of the class has to be like; all must hold.',
    config: 'What drivers are told of every device of the class that is taken.',
    extendedResourceName:
      'Name by which containers may ask for devices of the class as for any resource: example.com/gpu.',
  },
  'resource.v1.DeviceConstraint': {
    requests: 'Whose devices it is about, by name of the request; empty: all of the claim.',
    matchAttribute: 'An attribute, with its domain, that all of them have with one value: those on one board.',
    distinctAttribute:
      'An attribute, with its domain, that no two of them have with one value: those on different boards.',
  },
  'resource.v1.DeviceCounterConsumption': {
    counterSet: 'Name of the set.',
    counters: 'How much of each counter.',
  },
  'resource.v1.DeviceRequest': {
    name: 'Name of the request, which containers and constraints use.',
    exactly: 'What is asked for. Either this or firstAvailable.',
    firstAvailable: 'Alternatives, best first: the first that can be had is taken. Either these or exactly.',
  },
  'resource.v1.DeviceRequestAllocationResult': {
    request: 'Name of the request that it is for; main/sub for an alternative.',
    ...OF_NAMES,
    adminAccess: 'Whether it was taken for looking after it, beside those who use it.',
    tolerations: 'What the request tolerated, as it stood then.',
    ...OF_BINDING,
    consumedCapacity: 'How much was taken of a device that several share.',
  },
  'resource.v1.DeviceSelector': { cel: 'An expression of which devices fit.' },
  'resource.v1.DeviceSubRequest': {
    name: 'Name of the alternative; elsewhere it is called main/sub.',
    ...OF_REQUESTS,
  },
  'resource.v1.DeviceTaint': {
    key: 'Key of the taint.',
    value: 'Value of the taint.',
    effect: 'NoSchedule: it is not taken any more; NoExecute: pods that have it go, too; None: it is only told.',
    timeAdded: 'When it was set. Filled in by the server where it is left out.',
  },
  'resource.v1.DeviceToleration': OF_TOLERATIONS,
  'resource.v1.ExactDeviceRequest': {
    ...OF_REQUESTS,
    adminAccess:
      'Whether devices are wanted for looking after them, though others use them; only in namespaces labelled for it.',
  },
  'resource.v1.NetworkDeviceData': {
    interfaceName: 'Name of the interface in the pod.',
    ips: 'Its addresses, with the length of their networks: 192.0.2.5/24.',
    hardwareAddress: 'Its hardware address (MAC).',
  },
  'resource.v1.NodeAllocatableResourceMapping': {
    capacityKey: 'The capacity of the device that says how much; absent: as much as one device.',
    allocationMultiplier: 'What one unit of that, or one device, takes of the node.',
  },
  'resource.v1.OpaqueDeviceConfiguration': {
    driver: 'Name of the driver that it is for; others pass over it.',
    parameters: 'What the driver is told: an object with apiVersion and kind of its own.',
  },
  'resource.v1.ResourceClaim': {
    '': 'ResourceClaim asks for devices, and notes which were taken and who may use them.',
    spec: 'What is asked for. Never changes.',
    status: 'What was taken, and who may use it.',
  },
  'resource.v1.ResourceClaimConsumerReference': {
    apiGroup: 'Group of the user; empty is the core one.',
    resource: 'Its resource: pods.',
    name: 'Its name.',
    uid: 'Its uid: no other one of its name is meant.',
  },
  'resource.v1.ResourceClaimSpec': { devices: 'Which devices, and how they are set up.' },
  'resource.v1.ResourceClaimStatus': {
    allocation: 'What was taken; absent: nothing yet.',
    reservedFor: 'Who may use it now, at most 256; while there is anybody it is not given back.',
    devices: 'What drivers tell of the devices that were taken.',
  },
  'resource.v1.ResourceClaimTemplate': {
    '': 'ResourceClaimTemplate is what claims are made from: each pod that names it gets one of its own.',
    spec: 'The claims that are made. Never changes.',
  },
  'resource.v1.ResourceClaimTemplateSpec': {
    metadata: 'Labels and annotations that each claim gets; nothing else may be given.',
    spec: 'What each claim says.',
  },
  'resource.v1.ResourcePool': {
    name: 'Name of the pool: often that of its node.',
    generation: 'Raised by the driver with every change: slices of an older one count no more.',
    resourceSliceCount: 'How many slices the pool has; while some are missing nobody should rely on it.',
  },
  'resource.v1.ResourceSlice': {
    '': 'ResourceSlice is a part of a pool of devices, as its driver publishes it.',
    spec: 'The devices, and where they are.',
  },
  'resource.v1.ResourceSliceSpec': {
    driver: 'Name of the driver that publishes it, a domain of its vendor. Never changes.',
    pool: 'The pool that it is a part of.',
    ...OF_NODES,
    devices: 'The devices of this part.',
    perDeviceNodeSelection: 'Whether each device says where it is.',
    sharedCounters: 'Counters that devices of the pool draw from. Not in a slice with devices.',
  },
} as const;
