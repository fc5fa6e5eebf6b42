/**
 * Before pg is loaded: pg asks whether it runs on Cloudflare, and where there is no `navigator` (Node 20) finds out by
 * making a Response, which loads all of undici and costs a cold start 20 ms. Newer Nodes have this of themselves.
 */
if (!('navigator' in globalThis)) {
  Object.defineProperty(globalThis, 'navigator', {
    value: { userAgent: `Node.js/${process.versions.node.split('.')[0]}` },
    configurable: true,
  });
}
