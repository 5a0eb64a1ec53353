/** The face of this folder: the kinds of Kubernetes objects that the operator reads and owns, and their names. */
export {
  isOwnedBy,
  type OwnedObject,
  type OwnedObjectMetadata,
  OwnedObjects,
  isRejection,
  NameTakenError,
  ignoreNotFound,
  ownedKinds,
} from './ownedObjects.ts';
export { parseDuration } from './duration.ts';
export {
  certificates,
  configMaps,
  endpointSlices,
  GUARDED_LABEL,
  horizontalPodAutoscalers,
  INSTANCE_LABEL,
  MANAGED_BY,
  METRICS_LABEL,
  namespaces,
  networkPolicies,
  guardrailDeployments,
  podDisruptionBudgets,
  pods,
  proxyDeployments,
  secrets,
  serviceAccounts,
  serviceMonitors,
  services,
} from './kinds.ts';
export {
  instanceLabelOf,
  type InstanceNames,
  isLabelledFor,
  labelsOf,
  namesOf,
  podLabelsOf,
  selectorOf,
} from './names.ts';
export { namespaceIsBeingDeleted, readNamespace } from './namespaces.ts';
export { encodedSecretData, secretValue, secretValues } from './secretValues.ts';
export { readText } from './textSource.ts';
