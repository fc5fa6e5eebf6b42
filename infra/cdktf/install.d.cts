/** Installs infra/cli where it is not. Returns its folder; ends the process where it cannot. */
export function installCli(): string;
