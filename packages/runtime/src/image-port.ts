/** The port's images: what a runtime tells of them, and for whom and as whom it gets them. */

/** An image on the node. */
export interface ImageStatus {
  /** `sha256:…` of the image's configuration. */
  readonly id: string;
  readonly tags: readonly string[];
  readonly digests: readonly string[];
  readonly sizeBytes: number;
  /** The user of the image, when numeric. */
  readonly uid?: number;
  /** The user of the image, when a name. */
  readonly username?: string;
  /** The runtime itself cannot do without it. */
  readonly isPinned?: boolean;
}

/** The files of images as folders of the node, to be read only. */
export interface ImageMounts {
  /** At an existing empty folder; `image`: as `ImageStatus.id`. It stays there whatever becomes of the image's names. */
  mount(image: string, target: string): Promise<void>;
  unmount(target: string): Promise<void>;
}

/** What a runtime has on one of the node's file systems. */
export interface RuntimeFilesystem {
  /** A folder of the node that lies on it. */
  readonly folder: string;
  /** What the runtime's own files take there; absent: it does not tell. */
  readonly usedBytes?: number;
  readonly inodesUsed?: number;
}

/** Where a runtime keeps images, and what containers write into their own layers. */
export interface RuntimeFilesystems {
  readonly images: RuntimeFilesystem;
  /** Absent: with the images. */
  readonly layers?: RuntimeFilesystem;
}

/** As whom a registry is asked. */
export interface RegistryAuth {
  readonly username: string;
  readonly password: string;
  /** In place of a password: to get tokens with, or the token itself. */
  readonly identityToken?: string;
  readonly registryToken?: string;
}

/** The pod that an image is for. */
export interface ImageUser {
  readonly annotations: { readonly [key: string]: string };
}
