"""The run folder on the disk: `folder` is the whole of it, `parts` what it holds, `verify` and `merge` its commands.

Below them `digest` and `content` say what data are, `checksums`, `disk` and `lock` keep files sound, `differences`
tells two runs apart, `again` plays stored games once more.
"""
