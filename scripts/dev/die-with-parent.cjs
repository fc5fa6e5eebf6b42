// Preloaded into child processes: when the process that started them is gone, however it went, they go too.
process.on('disconnect', () => process.exit(0));
// The channel alone must not keep a process alive that has nothing left to do.
process.channel?.unref();
