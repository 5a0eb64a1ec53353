/** What Node has and its types lack. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/** Compiles a module of WebAssembly. */
export const moduleIn = (bytes: Uint8Array<ArrayBuffer>): object => new WebAssembly.Module(bytes);

/** What a new instance of a module exports. It has memory of its own. */
export const exportsOf = (module: object): unknown => new WebAssembly.Instance(module).exports;
