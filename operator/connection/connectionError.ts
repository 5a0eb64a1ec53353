import type { InstanceConditionReason } from '../conditions/conditions.ts';

/** The reasons of a customer's condition `Synced` without a connection. */
export type CustomerConnectionReason =
  'InstanceNotFound' | 'InstanceNotReady' | 'NamespaceNotAllowed' | 'CustomerIdNotAllowed';

/** The gateway of an instance cannot be called. The message is a condition message and contains no secret. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** The reason of the customer's condition `Synced`. */
  readonly reason: CustomerConnectionReason;
  /** The reason of the instance's condition `Reachable`; undefined if the instance is not the cause. */
  readonly instanceReason: InstanceConditionReason<'Reachable'> | undefined;

  constructor(
    reason: CustomerConnectionReason,
    message: string,
    instanceReason?: InstanceConditionReason<'Reachable'>,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.reason = reason;
    this.instanceReason = instanceReason;
  }
}

/** The instance exists, and its gateway cannot be called. */
export function notReady(
  reason: InstanceConditionReason<'Reachable'>,
  message: string,
  options?: ErrorOptions,
): ConnectionError {
  return new ConnectionError('InstanceNotReady', message, reason, options);
}

/** The instance that a customer refers to does not exist. */
export function instanceNotFound(namespace: string, name: string): ConnectionError {
  return new ConnectionError(
    'InstanceNotFound',
    `GatewayInstance ${name} does not exist in namespace ${namespace}. Create it, or delete this resource and create it for another instance.`,
  );
}
