/**
 * Loaded before TypeScript files, in JavaScript that an old Node can read: it would otherwise end with
 * ERR_UNKNOWN_FILE_EXTENSION. Usually npm has installed a Node of its own (optionalDependencies of package.json).
 */
if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `薪函 needs Node 24 or newer; this is ${process.versions.node}. "npm ci" installs one for Linux (glibc), macOS and ` +
      'Windows unless optional packages are switched off: run "npm ci --include=optional", or install Node 24.\n',
  )
  process.exit(1)
}
