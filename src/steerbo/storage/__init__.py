"""Logs of studies on disk, in databases and in memory: events, leases, integrity and backups."""
