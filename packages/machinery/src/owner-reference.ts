import type { ObjectMeta, OwnerReference } from './generated/meta-v1.ts';

interface Owned {
  readonly metadata: ObjectMeta;
}

/** The reference to the controller that manages an object; undefined when nobody does. */
export function controllerOf(object: Owned): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** Whether `owner` is the controller that manages the object. */
export function isControlledBy(object: Owned, owner: Owned): boolean {
  const controller = controllerOf(object);
  return controller !== undefined && controller.uid === owner.metadata.uid;
}

/** Whether `owner` is among the owners, as controller or not. */
export function isOwnedBy(object: Owned, owner: Owned): boolean {
  return object.metadata.ownerReferences?.some((reference) => reference.uid === owner.metadata.uid) ?? false;
}
